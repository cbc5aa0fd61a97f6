import type { Tx } from '@storey/kit/database'
import { emptyObservations } from '../../telemetry/index.ts'
import { DEFAULT_RULES } from '../default-rules.ts'
import { insertDefaultRules } from '../fault-rules.store.ts'
import { Changes } from './changes.ts'
import { insertFaults, readGroups, readRules } from './detection.store.ts'
import { observe } from './observe.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { newFaults } from './write-changes.ts'

/** Samples of a point within a day, in order of time. */
export interface DaySamples {
  point: number
  dayStart: number
  offsetsMs: Uint32Array
  values: Float64Array
}

/**
 * Checks the generated history of a new building. Faults that last until the end of the history are open immediately.
 */
export interface HistoryCheck {
  /** The days of a point must be passed in order. */
  note(samples: DaySamples): void
  /** Writes the open faults. There are no subscribers yet, so no alarm is sent. */
  finish(until: Date): Promise<void>
}

const MAX_SAMPLES = 2_000

/** Creates the default rules of the building, and returns a check that uses them. */
export async function checkHistory(tx: Tx, buildingId: string, until: Date): Promise<HistoryCheck> {
  await insertDefaultRules(tx, DEFAULT_RULES, until)
  const list = createWatchList(await readRules(tx, buildingId), await readGroups(tx, buildingId))
  const changes = new Changes(list)
  let batch = emptyObservations(MAX_SAMPLES)
  return {
    note({ point, dayStart, offsetsMs, values }) {
      const count = values.length
      if (count > batch.points.length) batch = emptyObservations(count)
      batch.count = count
      batch.points.fill(point, 0, count)
      batch.values.set(values)
      for (let i = 0; i < count; i++) batch.times[i] = dayStart + offsetsMs[i]!
      observe(list, batch, until.getTime(), changes)
    },
    async finish(at) {
      findSilentAt(list, at.getTime(), changes)
      const open = changes.some(Number.POSITIVE_INFINITY).filter(([, { begun, isOver }]) => begun !== null && !isOver)
      const faults = await newFaults(tx, list, open)
      if (faults.length > 0) await insertFaults(tx, buildingId, faults, at)
    },
  }
}

/**
 * Finds points whose last sample is older than a `silent` rule allows. Unlike `findSilent`, it does not check whether
 * the whole building sends nothing, because in a generated history some point always sends values.
 */
function findSilentAt(list: WatchList, at: number, changes: Changes): void {
  for (const watch of list.silent) {
    const last = list.lastAt[list.slotOf[watch]!]!
    if (Number.isFinite(last) && at - last >= list.durationMs[list.ruleOf[watch]!]!) changes.beginWith(watch, null)
  }
}
