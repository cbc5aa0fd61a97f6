import { type Clock, elapsedMs } from '@storey/kit/clock'
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
  settle(): Promise<void>
  close(): Promise<void>
}

const BATCH = 200
/** Time for the bus to find its neighbours: what fell due while nobody ran is told to them too. */
const FIRST_LOOK_MS = 1_000
/** How often to look for what other processes have left behind. */
const LONGEST_SLEEP_MS = 5 * 60_000
const RETRY_MS = 5_000

/** Tells of warnings and breaches when their time comes, each once: it sleeps until the next. */
export function createSlaWatch(desk: () => Desk, clock: Clock, log: Log): SlaWatch {
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let working: Promise<void> | undefined
  let closed = false

  function sleep(ms: number): void {
    const at = elapsedMs() + ms
    if (closed || at >= wakesAt) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(() => void look(), ms).unref()
  }

  const until = (at: Date) => Math.min(Math.max(at.getTime() - clock.now().getTime(), 0), LONGEST_SLEEP_MS)

  function look(): Promise<void> {
    wakesAt = Number.POSITIVE_INFINITY
    working ??= tellAll()
      .then(async () => {
        const next = await readNextAlert(desk().db)
        sleep(next === null ? LONGEST_SLEEP_MS : until(next))
      })
      .catch((err) => {
        log.warn({ err }, 'due times are looked at later: the database does not answer')
        sleep(RETRY_MS)
      })
      .finally(() => {
        working = undefined
      })
    return working
  }

  async function tellAll(): Promise<void> {
    while (!closed) {
      const told = await desk().turn((turn) => tellSome(turn, clock.now()))
      if (told < BATCH) return
    }
  }

  return {
    start: () => sleep(FIRST_LOOK_MS),
    expect: (at) => sleep(until(at)),
    nextDue: () => readNextAlert(desk().db),
    async settle() {
      await working
      await tellAll()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await working
    },
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
