import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'

/**
 * When a part of the stack, such as the webhooks, next has work to do. null: it has none. A time in the past: the work
 * is running or overdue.
 */
export type NextDue = () => Promise<Date | null>

/**
 * Work that a stack does without a request, such as another attempt of a delivery. The stack reports when the next work
 * is due, so that it can be stopped until then and is woken in time.
 */
export interface DueWork {
  register(nextDue: NextDue): void
  /** Call when the due time of a part may have changed. The due times are checked soon. */
  changed(): void
  /** The earliest due time of all parts. */
  earliest(): Promise<Date | null>
  /**
   * Reports the earliest due time now, whenever it changes, and when the stack stops. If the last report is missing,
   * the control plane knows that the stack did not stop cleanly.
   */
  start(report: Report): void
  close(): Promise<void>
}

type Report = (at: Date | null) => Promise<void> | void

export interface DueWorkOptions {
  clock: Clock
  log: Log
  /** How soon the due times are checked after a call of `changed`. */
  soonMs?: number
  /** How often the due times are checked without a call of `changed`. */
  everyMs?: number
}

export function createDueWork({ clock, log, soonMs = 200, everyMs = 60_000 }: DueWorkOptions): DueWork {
  const parts: NextDue[] = []
  let report: Report | undefined
  let reported: Date | null | undefined
  const loop = createLoop({ name: 'due-work', log, run: reportChange, everyMs })

  async function earliest(): Promise<Date | null> {
    let first: Date | null = null
    // The parts are read one after another, so that an idle stack needs only one connection.
    for (const nextDue of parts) {
      const at = await nextDue()
      if (at !== null && (first === null || at < first)) first = at
    }
    return first
  }

  async function reportChange(): Promise<void> {
    const at = await earliest()
    if (isSame(at, reported, clock.now())) return
    await report?.(at)
    reported = at
  }

  return {
    register: (nextDue) => void parts.push(nextDue),
    changed() {
      if (report) loop.wakeIn(soonMs)
    },
    earliest,
    start(listener) {
      report = listener
      loop.start()
    },
    async close() {
      await loop.stop()
      if (report) await report(await earliest())
    },
  }
}

/** Any two times in the past count as the same, so that overdue work is reported once. */
function isSame(a: Date | null, b: Date | null | undefined, now: Date): boolean {
  if (!a || !b) return a === b
  return a.getTime() === b.getTime() || (a <= now && b <= now)
}
