import { type ChangeKind, STACK_CHANGED } from '@storey/contract'
import type { Bus } from '../bus/index.ts'

export interface RepeatedChange {
  note(): void
  close(): void
}

export interface RepeatedChangeOptions {
  bus: Bus
  buildingIds(): readonly string[]
  kind: ChangeKind
  everyMs?: number
}

/**
 * Publishes changes that are frequent and not part of a transaction, such as deliveries: the first one immediately, and
 * those that follow it at most once per interval.
 */
export function createRepeatedChange({
  bus,
  buildingIds,
  kind,
  everyMs = 1_000,
}: RepeatedChangeOptions): RepeatedChange {
  let timer: NodeJS.Timeout | undefined
  let isNoted = false

  function publish(): void {
    isNoted = false
    timer = setTimeout(() => {
      timer = undefined
      if (isNoted) publish()
    }, everyMs)
    timer.unref()
    for (const buildingId of buildingIds()) bus.publish(buildingId, STACK_CHANGED, () => ({ kinds: [kind] }))
  }

  return {
    note() {
      if (!bus.hasSubscribers(STACK_CHANGED)) return
      if (timer === undefined) publish()
      else isNoted = true
    },
    close: () => clearTimeout(timer),
  }
}
