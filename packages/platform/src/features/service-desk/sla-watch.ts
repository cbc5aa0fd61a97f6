import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import type { Desk } from './desk.ts'
import { passMoments } from './sla.ts'
import { passMilliseconds, readAlerts, readNextAlert, writeAlerts } from './turns.store.ts'
import type { Turn } from './turns.ts'

export interface SlaWatch {
  start(): void
  /** Something is to be told at this moment, perhaps before what was planned. */
  expect(at: Date): void
  nextDue(): Promise<Date | null>
  /** All that is due now was told. */
  idle(): Promise<void>
  close(): Promise<void>
}

const BATCH = 200
/** Time for the bus to find its neighbours: what fell due while nobody ran is sent to them too. */
const FIRST_RUN_MS = 1_000
/** How often to look for what other processes have left behind. */
const EVERY_MS = 5 * 60_000

/** Sends warnings and breaches when their time comes, each once: it sleeps until the next. */
export function createSlaWatch(desk: () => Desk, clock: Clock, log: Log): SlaWatch {
  const loop = createLoop({ name: 'sla-watch', log, run, everyMs: EVERY_MS })

  async function run(signal: AbortSignal): Promise<number> {
    while (!signal.aborted) {
      const sent = await desk().turn((turn) => tellSome(turn, clock.now()))
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

async function tellSome(turn: Turn, now: Date): Promise<number> {
  const due = await readAlerts(turn.tx, now, BATCH)
  if (due.length === 0) return 0
  const rows = due.map((row, i) => {
    const { clock, passed } = passMoments(row, now)
    return { passed, row: { ...clock, updatedAt: new Date(turn.at.getTime() + i) } }
  })
  await passMilliseconds(turn.tx, rows.length - 1)
  await writeAlerts(
    turn.tx,
    rows.map(({ row }) => row),
  )
  for (const { row, passed } of rows) if (passed) turn.tell(passed, row)
  return rows.length
}
