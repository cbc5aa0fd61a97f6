import type { Observations } from '../../../telemetry/ingest/observations.ts'
import type { Changes } from './changes.ts'
import { isActive } from './values.ts'
import { KINDS, type WatchList } from './watch-list.ts'

/**
 * Lays observations against the rules that watch their points. It runs for every observation there is: of a point that
 * nobody watches it costs one look, and nothing is made but where a fault begins or ends. Only what is at least as new as
 * all before it counts: what comes late tells of what was, not of what is.
 */
export function observe(list: WatchList, batch: Observations, heardAt: number, changes: Changes): void {
  const { count, points, times, values } = batch
  const { base, slots, lastAt, lastValue, starts } = list
  const span = slots.length
  noteBuilding(list, heardAt)
  for (let i = 0; i < count; i++) {
    const place = points[i]! - base
    if (place < 0 || place >= span) continue
    const slot = slots[place]!
    if (slot === 0) continue
    const at = times[i]!
    const before = lastAt[slot]!
    if (at < before) continue
    const value = values[i]!
    const end = starts[slot + 1]!
    for (let watch = starts[slot]!; watch < end; watch++) look(list, watch, at, before, value, batch, i, changes)
    lastAt[slot] = at
    list.heardAt[slot] = heardAt
    // A text is no number to compare with.
    if (!Number.isNaN(value)) lastValue[slot] = value
  }
}

function look(
  list: WatchList,
  watch: number,
  at: number,
  before: number,
  value: number,
  batch: Observations,
  i: number,
  changes: Changes,
): void {
  const { since, isOpen } = list
  const rule = list.ruleOf[watch]!
  const kind = list.kinds[rule]!
  if (kind === KINDS.silent) {
    if (isOpen[watch] === 1) changes.end(watch)
  } else if (kind === KINDS.alarm) {
    const active = Number.isNaN(value) ? isActive(batch.texts.get(i)) : value !== 0
    if (active && isOpen[watch] === 0) changes.begin(watch, batch, i)
    else if (!active && isOpen[watch] === 1) changes.end(watch)
  } else if (Number.isNaN(value)) {
    return
  } else if (kind === KINDS.threshold) {
    if (value > list.above[rule]! || value < list.below[rule]!) {
      if (Number.isNaN(since[watch])) since[watch] = at
      if (isOpen[watch] === 0 && at - since[watch]! >= list.durationMs[rule]!) changes.begin(watch, batch, i)
    } else {
      since[watch] = Number.NaN
      if (isOpen[watch] === 1) changes.end(watch)
    }
  } else {
    const duration = list.durationMs[rule]!
    const isSame = value === list.lastValue[list.slotOf[watch]!]
    if (!isSame && isOpen[watch] === 1) changes.end(watch)
    // While observations do not come, nobody knows whether the value stood still.
    if (!isSame || at - before > duration / 2) since[watch] = at
    else if (isOpen[watch] === 0 && at - since[watch]! >= duration) changes.begin(watch, batch, i)
  }
}

/** After a pause of the whole building its points are given their time again, each rule by its own measure. */
function noteBuilding(list: WatchList, heardAt: number): void {
  const { durationMs, feedSince, buildingHeardAt } = list
  for (let rule = 0; rule < durationMs.length; rule++) {
    if (heardAt - buildingHeardAt >= durationMs[rule]! / 2) feedSince[rule] = heardAt
  }
  list.buildingHeardAt = heardAt
}
