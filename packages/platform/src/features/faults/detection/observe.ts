import type { Observations } from '../../telemetry/index.ts'
import type { Changes } from './changes.ts'
import { isActive } from './values.ts'
import { KINDS, type WatchList } from './watch-list.ts'

/**
 * Checks observations against the rules that watch their points. It runs for every observation, so it is one loop over
 * columns: an unwatched point costs one lookup, and objects are created only when a fault begins or ends. Late
 * observations do not count, since they describe the past. A timestamp ahead of now is probably the error of a clock,
 * so observations that follow it with earlier timestamps count, unless they are late.
 */
export function observe(list: WatchList, batch: Observations, now: number, changes: Changes): void {
  const { count, points, times, values } = batch
  const { base, slots, lastAt, lastValue, lastValueAt, receivedAt, starts, ruleOf, since, isOpen } = list
  const { kinds, above, below, durationMs } = list
  const span = slots.length
  noteBuilding(list, now)
  for (let i = 0; i < count; i++) {
    const place = points[i]! - base
    if (place < 0 || place >= span) continue
    const slot = slots[place]!
    if (slot === 0) continue
    const at = times[i]!
    if (at < lastAt[slot]!) continue
    const value = values[i]!
    const isText = Number.isNaN(value)
    const end = starts[slot + 1]!
    for (let watch = starts[slot]!; watch < end; watch++) {
      const rule = ruleOf[watch]!
      const kind = kinds[rule]!
      const wasOpen = isOpen[watch] === 1
      if (kind === KINDS.silent) {
        if (wasOpen) changes.end(watch)
      } else if (kind === KINDS.alarm) {
        const active = isText ? isActive(batch.texts.get(i)) : value !== 0
        if (active && !wasOpen) changes.begin(watch, batch, i)
        else if (!active && wasOpen) changes.end(watch)
      } else if (isText) {
        // The other kinds of rules ignore texts.
      } else if (kind === KINDS.threshold) {
        if (value > above[rule]! || value < below[rule]!) {
          if (Number.isNaN(since[watch]!) || at < since[watch]!) since[watch] = at
          if (!wasOpen && at - since[watch]! >= durationMs[rule]!) changes.begin(watch, batch, i)
        } else {
          since[watch] = Number.NaN
          if (wasOpen) changes.end(watch)
        }
      } else {
        const isSame = value === lastValue[slot]
        if (!isSame && wasOpen) changes.end(watch)
        // A long gap restarts the duration: without numbers it is unknown whether the value was constant.
        const isGap = at - lastValueAt[slot]! > durationMs[rule]! / 2
        if (!isSame || isGap || at < since[watch]!) since[watch] = at
        else if (!wasOpen && at - since[watch]! >= durationMs[rule]!) changes.begin(watch, batch, i)
      }
    }
    lastAt[slot] = Math.min(at, now)
    receivedAt[slot] = now
    if (isText) continue
    lastValue[slot] = value
    lastValueAt[slot] = at
  }
}

/**
 * Notes when the building sends observations again after a pause. The durations of default `silent` rules start again
 * at that time (`silence.ts`).
 */
function noteBuilding(list: WatchList, now: number): void {
  const { durationMs, feedSince, buildingReceivedAt } = list
  for (let rule = 0; rule < durationMs.length; rule++) {
    if (now - buildingReceivedAt >= durationMs[rule]! / 2) feedSince[rule] = now
  }
  list.buildingReceivedAt = now
}
