import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import { readAlerts, readNextAlert, writeAlerts } from './alerts.store.ts'
import type { Desk } from './desk.ts'
import { reserveTimes } from './desk-clock.store.ts'
import { markDueAlert } from './sla.ts'
import type { DeskTransaction } from './transactions.ts'

export interface SlaWatch {
  start(): void
  /** Call when an alert (a warning or a breach) is planned for the time `at`. The loop then runs at `at` or earlier. */
  expect(at: Date): void
  nextDue(): Promise<Date | null>
  /** Resolves when all due alerts are published. */
  idle(): Promise<void>
  close(): Promise<void>
}

const BATCH = 200
/** The first run waits this long for the bus to connect, so that other processes receive alerts that are due. */
const FIRST_RUN_MS = 1_000
/** The longest pause between two runs: another process could have planned an alert and ended before publishing it. */
const EVERY_MS = 5 * 60_000

/**
 * Publishes warnings and breaches when they are due, each once. Between two runs, the loop waits until the next alert
 * is due, but not longer than EVERY_MS.
 */
export function createSlaWatch(desk: () => Desk, clock: Clock, log: Log): SlaWatch {
  const loop = createLoop({ name: 'sla-watch', log, run, everyMs: EVERY_MS })

  async function run(signal: AbortSignal): Promise<number> {
    while (!signal.aborted) {
      const sent = await desk().transaction((transaction) => publishDue(transaction, clock.now()))
      if (sent < BATCH) break
    }
    const next = await readNextAlert(desk().db)
    return next === null ? EVERY_MS : until(next)
  }

  const until = (at: Date) => Math.max(at.getTime() - clock.now().getTime(), 0)

  return {
    start: () => loop.start(FIRST_RUN_MS),
    expect: (at) => loop.wakeIn(until(at)),
    nextDue: () => readNextAlert(desk().db),
    idle: loop.runNow,
    close: loop.stop,
  }
}

async function publishDue(transaction: DeskTransaction, now: Date): Promise<number> {
  const due = await readAlerts(transaction.tx, now, BATCH)
  if (due.length === 0) return 0
  const rows = due.map((row, i) => {
    const { clock, alert } = markDueAlert(row, now)
    return { alert, row: { ...clock, updatedAt: new Date(transaction.at.getTime() + i) } }
  })
  await reserveTimes(transaction.tx, rows.length - 1)
  await writeAlerts(
    transaction.tx,
    rows.map(({ row }) => row),
  )
  for (const { row, alert } of rows) if (alert) transaction.publish(alert, row)
  return rows.length
}
