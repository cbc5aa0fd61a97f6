import type { Tx } from '@storey/kit/database'
import { type Observations, readWaiting, valueText } from '../../telemetry/index.ts'
import { Changes } from './changes.ts'
import { type OpenFault, readGroups, readLastValues, readOpenFaults, readRules } from './detection.store.ts'
import { isActive, numberOf } from './values.ts'
import { createWatchList, findWatch, KINDS, slotOfPoint, type WatchList } from './watch-list.ts'

export interface Loaded {
  list: WatchList
  /** Faults that begin or end according to the last values of their points. */
  changes: Changes
  /** Active faults whose rule no longer watches their point. */
  unwatched: OpenFault[]
}

/**
 * Loads the watch list of a building, and keeps the state of the previous list. In a list, a slot is a watched point,
 * and a watch is a rule at a point. A watch has no previous state if the previous list does not have it, or if the
 * condition of its rule has changed. Such a watch starts with the last value of the point, which is enough to detect
 * the faults of alarm rules, and of threshold rules without a duration.
 */
export async function loadWatchList(
  tx: Tx,
  buildingId: string,
  before: WatchList | undefined,
  now: number,
): Promise<Loaded> {
  const list = createWatchList(await readRules(tx, buildingId), await readGroups(tx, buildingId))
  const { unwatched, valuesAtBegin } = markOpen(list, await readOpenFaults(tx, buildingId))
  const fresh = copyState(list, before)
  const changes = new Changes(list)
  const last = await lastValues(tx, list, fresh, now)
  for (const watch of fresh) {
    const value = last.get(list.slotOf[watch]!)
    if (value !== undefined) begin({ list, changes, valuesAtBegin, now }, watch, value)
  }
  return { list, changes, unwatched }
}

interface MarkedFaults {
  /** Active faults whose rule no longer watches their point. */
  unwatched: OpenFault[]
  /** By watch: the value with which its active fault began. */
  valuesAtBegin: Map<number, string | null>
}

function markOpen(list: WatchList, openFaults: readonly OpenFault[]): MarkedFaults {
  const places = new Map(list.rules.map(({ id }, place) => [id, place]))
  const marked: MarkedFaults = { unwatched: [], valuesAtBegin: new Map() }
  for (const fault of openFaults) {
    const watch = findWatch(list, places.get(fault.ruleId ?? '') ?? -1, fault.point)
    if (watch < 0) marked.unwatched.push(fault)
    else {
      list.isOpen[watch] = 1
      marked.valuesAtBegin.set(watch, fault.value)
    }
  }
  return marked
}

/** Copies the state of the previous list. Returns the watches that had no state there. */
function copyState(list: WatchList, before: WatchList | undefined): number[] {
  const oldPlaces = new Map(before?.rules.map((rule, place) => [conditionKey(rule), place]))
  const placeBefore = list.rules.map((rule) => oldPlaces.get(conditionKey(rule)) ?? -1)
  const fresh: number[] = []
  if (before) list.buildingReceivedAt = before.buildingReceivedAt
  for (const [place, old] of placeBefore.entries()) if (old >= 0) list.feedSince[place] = before!.feedSince[old]!
  for (let slot = 1; slot < list.points.length; slot++) {
    const point = list.points[slot]!
    const oldSlot = before ? slotOfPoint(before, point) : 0
    if (oldSlot > 0) {
      list.lastAt[slot] = before!.lastAt[oldSlot]!
      list.lastValue[slot] = before!.lastValue[oldSlot]!
      list.lastValueAt[slot] = before!.lastValueAt[oldSlot]!
      list.receivedAt[slot] = before!.receivedAt[oldSlot]!
    }
    for (let watch = list.starts[slot]!; watch < list.starts[slot + 1]!; watch++) {
      const old = oldSlot > 0 ? findWatch(before!, placeBefore[list.ruleOf[watch]!]!, point) : -1
      if (old >= 0) list.since[watch] = before!.since[old]!
      else fresh.push(watch)
    }
  }
  return fresh
}

/** The state of a watch stays valid while its rule has the same condition. */
const conditionKey = ({ id, kind, above, below, durationSeconds }: WatchList['rules'][number]) =>
  JSON.stringify([id, kind, above, below, durationSeconds])

/** Reads the last values of the points of these watches, by slot, and writes their times and numbers into the list. */
async function lastValues(
  tx: Tx,
  list: WatchList,
  watches: readonly number[],
  now: number,
): Promise<Map<number, string>> {
  const last = new Map<number, string>()
  if (watches.length === 0) return last
  const isAsked = new Uint8Array(list.points.length)
  for (const watch of watches) isAsked[list.slotOf[watch]!] = 1
  const { lastAt, lastValue, lastValueAt, receivedAt } = list
  const points = Array.from(list.points).filter((_, slot) => isAsked[slot] === 1)
  for (const { point, at, value } of await readLastValues(tx, points)) {
    const slot = slotOfPoint(list, point)
    if (at.getTime() < lastAt[slot]!) continue
    lastAt[slot] = at.getTime()
    last.set(slot, value)
  }
  for await (const batch of readWaiting(tx)) {
    for (const [slot, i] of newestOf(batch, list, isAsked)) last.set(slot, valueText(batch, i))
  }
  for (const [slot, value] of last) {
    const at = lastAt[slot]!
    // A timestamp ahead of now counts as now, so that later observations with earlier timestamps count (`observe.ts`).
    lastAt[slot] = Math.min(at, now)
    receivedAt[slot] = Math.max(receivedAt[slot]!, lastAt[slot]!)
    const number = numberOf(value)
    if (Number.isNaN(number)) continue
    lastValue[slot] = number
    lastValueAt[slot] = at
  }
  return last
}

/** The index of each slot's newest observation in a batch, unless the list has a newer one. Updates `lastAt`. */
function newestOf(
  { count, points, times }: Observations,
  { base, slots, lastAt }: WatchList,
  isAsked: Uint8Array,
): Map<number, number> {
  const places = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    const slot = slots[points[i]! - base] ?? 0
    if (isAsked[slot] === 0 || times[i]! < lastAt[slot]!) continue
    lastAt[slot] = times[i]!
    places.set(slot, i)
  }
  return places
}

interface Start extends Pick<MarkedFaults, 'valuesAtBegin'> {
  list: WatchList
  changes: Changes
  now: number
}

/** Begins a watch with the last value of its point. Ends its fault if that value shows that the fault is over. */
function begin({ list, changes, valuesAtBegin, now }: Start, watch: number, value: string): void {
  const { above, below, durationMs, isOpen, since } = list
  const rule = list.ruleOf[watch]!
  const slot = list.slotOf[watch]!
  const at = list.lastAt[slot]!
  const number = numberOf(value)
  const kind = list.kinds[rule]
  if (kind === KINDS.alarm) {
    const active = Number.isNaN(number) ? isActive(value) : number !== 0
    if (active && isOpen[watch] === 0) changes.beginWith(watch, value)
    if (!active && isOpen[watch] === 1) changes.end(watch)
  }
  if (kind === KINDS.silent && isOpen[watch] === 1 && now - list.receivedAt[slot]! < durationMs[rule]!)
    changes.end(watch)
  if (Number.isNaN(number)) return
  if (kind === KINDS.stuck) {
    since[watch] = at
    const stuckAt = valuesAtBegin.get(watch)
    if (isOpen[watch] === 1 && typeof stuckAt === 'string' && Number(stuckAt) !== number) changes.end(watch)
  }
  if (kind !== KINDS.threshold) return
  const isBeyond = number > above[rule]! || number < below[rule]!
  if (isBeyond) since[watch] = at
  if (isBeyond && durationMs[rule] === 0 && isOpen[watch] === 0) changes.beginWith(watch, value)
  if (!isBeyond && isOpen[watch] === 1) changes.end(watch)
}
