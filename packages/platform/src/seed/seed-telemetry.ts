import { type Building, injectedFaults, planTelemetry, simulate } from '@storey/building'
import type { Database } from '@storey/kit/database'
import { checkHistory, type HistoryCheck } from '../features/faults/index.ts'
import {
  type Chunk,
  copyChunks,
  copyFaults,
  copyLatest,
  type LatestValue,
  pointNumbers,
  TELEMETRY_TABLES,
} from '../features/telemetry/index.ts'
import { analyze, withoutIndexes } from './bulk-load.store.ts'

const DAY_MS = 86_400_000
/**
 * The UTC days that begin within this many days before the end of the history are checked for faults. Together these
 * days are at least 24 hours long, which is enough for the default rules: their durations are at most 24 hours.
 */
const CHECKED_DAYS = 2

export interface History {
  buildingId: string
  days: number
  until: Date
}

/** `done` is the written part of the history, from 0 to 1, and `day` is the day that is written next. */
export type ReportDay = (done: number, day: Date) => void

/**
 * Writes the building's history up to `until`, one day at a time, directly as chunks: the simulation fills a
 * buffer, and the chunk codec encodes it for `COPY`. Only the last value of each point is kept in memory.
 */
export async function seedTelemetry(
  db: Database,
  building: Building,
  history: History,
  report: ReportDay,
): Promise<void> {
  const { buildingId, days, until } = history
  if (days === 0) return
  const from = new Date(until.getTime() - days * DAY_MS)
  const model = planTelemetry(building)
  const numbers = await pointNumbers(db, buildingId)
  const numberOf = Int32Array.from(building.points, ({ code }) => numbers.get(code)!)
  const latest = lastValues(numberOf)

  function* chunks(check: HistoryCheck): Generator<Chunk> {
    for (const { dayStart, series } of simulate(model, from, until)) {
      report(Math.max(0, dayStart - from.getTime()) / (days * DAY_MS), new Date(dayStart))
      for (const { pointIndex, offsetsMs, values, texts } of series) {
        latest.note(pointIndex, dayStart + offsetsMs.at(-1)!, texts?.at(-1) ?? String(values.at(-1)!))
        // Texts have no history: only the last value is stored.
        if (texts) continue
        const point = numberOf[pointIndex]!
        if (dayStart >= until.getTime() - CHECKED_DAYS * DAY_MS) check.note({ point, dayStart, offsetsMs, values })
        yield { point, day: dayStart / DAY_MS, offsetsMs, values }
      }
    }
  }

  await db.transaction((tx) =>
    withoutIndexes(tx, TELEMETRY_TABLES, async () => {
      const check = await checkHistory(tx, buildingId, until)
      await copyChunks(tx, chunks(check))
      await copyLatest(tx, latest.rows())
      await check.finish(until)
      const faults = injectedFaults(model, from, until)
      await copyFaults(
        tx,
        faults.map((fault) => ({ ...fault, point: numberOf[fault.pointIndex]! })),
      )
    }),
  )
  await db.session((session) => analyze(session, TELEMETRY_TABLES))
}

function lastValues(numberOf: Int32Array) {
  const atMs = new Float64Array(numberOf.length)
  const values = new Array<string>(numberOf.length)
  return {
    note(pointIndex: number, at: number, value: string): void {
      atMs[pointIndex] = at
      values[pointIndex] = value
    },
    *rows(): Generator<LatestValue> {
      for (let i = 0; i < numberOf.length; i++) {
        if (values[i] !== undefined) yield { point: numberOf[i]!, atMs: atMs[i]!, value: values[i]! }
      }
    },
  }
}
