import { CHANGE_KINDS, type ChangeKind, STACK_CHANGED } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import type { Bus } from '../bus/index.ts'

/**
 * Notes which kinds of data a transaction changes. Every transaction that changes data of a kind in `CHANGE_KINDS` must
 * call this function. Nothing is published if the transaction is rolled back.
 */
export function noteChange(tx: Pick<Tx, 'touch'>, buildingId: string, ...kinds: ChangeKind[]): void {
  for (const kind of kinds) tx.touch(`${buildingId.toLowerCase()} ${kind}`)
}

/** Publishes the kinds of data that a committed transaction changed, in one event per building. */
export function publishChanges(bus: Bus, touched: ReadonlySet<string>): void {
  if (!bus.hasSubscribers(STACK_CHANGED)) return
  const kinds = new Map<string, string[]>()
  for (const name of touched) {
    const [buildingId = '', kind = ''] = name.split(' ')
    kinds.set(buildingId, [...(kinds.get(buildingId) ?? []), kind])
  }
  for (const [buildingId, some] of kinds) bus.publish(buildingId, STACK_CHANGED, () => ({ kinds: some }))
}

/** The kinds in an event of the bus. Unknown kinds, which a replica of a newer version may send, are left out. */
export function kindsOf({ kinds }: Record<string, unknown>): ChangeKind[] {
  return Array.isArray(kinds) ? CHANGE_KINDS.filter((kind) => kinds.includes(kind)) : []
}
