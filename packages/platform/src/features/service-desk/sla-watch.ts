import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import type { Desk } from './desk.ts'
import { markDueAlert } from './sla.ts'
import { readAlerts, readNextAlert, reserveTimes, writeAlerts } from './turns.store.ts'
import type { Turn } from './turns.ts'

export interface SlaWatch {
  start(): void
  /** An alert is due at this moment, perhaps before the planned one. */
  expect(at: Date): void
  nextDue(): Promise<Date | null>
  /** Resolves when everything due is published. */
  idle(): Promise<void>
  close(): Promise<void>
}

const BATCH = 200
/** Time for the bus to connect: alerts of the time without a process are sent to others too. */
const FIRST_RUN_MS = 1_000
/** How often to check for alerts that other processes left. */
const EVERY_MS = 5 * 60_000

/** Publishes warnings and breaches when they are due, each once: it sleeps until the next. */
export function createSlaWatch(desk: () => Desk, clock: Clock, log: Log): SlaWatch {
  const loop = createLoop({ name: 'sla-watch', log, run, everyMs: EVERY_MS })

  async function run(signal: AbortSignal): Promise<number> {
    while (!signal.aborted) {
      const sent = await desk().turn((turn) => publishDue(turn, clock.now()))
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

async function publishDue(turn: Turn, now: Date): Promise<number> {
  const due = await readAlerts(turn.tx, now, BATCH)
  if (due.length === 0) return 0
  const rows = due.map((row, i) => {
    const { clock, alert } = markDueAlert(row, now)
    return { alert, row: { ...clock, updatedAt: new Date(turn.at.getTime() + i) } }
  })
  await reserveTimes(turn.tx, rows.length - 1)
  await writeAlerts(
    turn.tx,
    rows.map(({ row }) => row),
  )
  for (const { row, alert } of rows) if (alert) turn.publish(alert, row)
  return rows.length
}
