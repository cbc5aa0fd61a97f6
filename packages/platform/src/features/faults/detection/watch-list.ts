import type { FaultRuleKind } from '@storey/contract'

/** A rule in the form that detection uses. Absent fields are null. */
export interface WatchedRule {
  id: string
  kind: FaultRuleKind
  severity: string
  enabled: boolean
  isDefault: boolean
  pointName: string | null
  quantityKind: string | null
  unit: string | null
  pointType: string | null
  elementTypeSlug: string | null
  pointId: string | null
  /** The number of the point that the rule names, if that point exists and matches the other fields. */
  point: number | null
  above: number | null
  below: number | null
  durationSeconds: number
  createdAtMs: number
}

/** Points with the same fields: only a rule with a point id can distinguish them. */
export interface PointGroup {
  /** The name of the points; null for all points whose names no rule has. */
  pointName: string | null
  quantityKind: string
  unit: string
  pointType: string
  elementTypeSlug: string
  points: readonly number[]
}

export const KINDS = { threshold: 0, stuck: 1, silent: 2, alarm: 3 } as const satisfies Record<FaultRuleKind, number>

/**
 * Which rules watch which points of a building, and the state of the points, watches and rules. Everything is in
 * columns, since it is read for every observation. A watched point has a slot, counted from 1. A watch is a rule at a
 * point, and the watches of a slot are adjacent.
 */
export interface WatchList {
  rules: readonly WatchedRule[]
  /** `slots[number - base]` is the slot of the point with this number, or 0. */
  base: number
  slots: Int32Array
  /**
   * By slot: the point, the time of its newest observation, its newest numeric value and the time of that value, and
   * when an observation last arrived.
   */
  points: Int32Array
  lastAt: Float64Array
  lastValue: Float64Array
  lastValueAt: Float64Array
  receivedAt: Float64Array
  /** By slot: the index of its first watch. Its last watch is the one before `starts[slot + 1]`. */
  starts: Int32Array
  /** By watch: its rule, its slot, since when its condition holds (NaN if not), and whether a fault is active. */
  ruleOf: Uint16Array
  slotOf: Int32Array
  since: Float64Array
  isOpen: Uint8Array
  /** The watches whose rules have the kind `silent`. */
  silent: Int32Array
  /** By rule: its kind, its bounds (infinite if absent) and its duration. */
  kinds: Uint8Array
  above: Float64Array
  below: Float64Array
  durationMs: Float64Array
  /** By rule: since when the building has sent observations without a pause of half the rule's duration or more. */
  feedSince: Float64Array
  /** When an observation of the building was last received. */
  buildingReceivedAt: number
}

export function createWatchList(rules: readonly WatchedRule[], groups: readonly PointGroup[]): WatchList {
  const watched = rules.filter(({ enabled }) => enabled)
  const pointsOf = watched.map((rule) => pointsFor(rule, rules, groups))
  const { base, span } = rangeOf(pointsOf)
  const slots = new Int32Array(span)
  for (const points of pointsOf) for (const point of points) slots[point - base] = 1
  let count = 0
  // Slots have the order of the points. Requests mostly have the points in this order, so memory is read in sequence.
  for (let place = 0; place < span; place++) if (slots[place] === 1) slots[place] = ++count
  const starts = new Int32Array(count + 2)
  for (const points of pointsOf) for (const point of points) starts[slots[point - base]! + 1]!++
  for (let slot = 1; slot < starts.length; slot++) starts[slot]! += starts[slot - 1]!
  const watches = starts.at(-1)!
  const list: WatchList = {
    rules: watched,
    base,
    slots,
    points: new Int32Array(count + 1),
    lastAt: new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY),
    lastValue: new Float64Array(count + 1).fill(Number.NaN),
    lastValueAt: new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY),
    receivedAt: new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY),
    starts,
    ruleOf: new Uint16Array(watches),
    slotOf: new Int32Array(watches),
    since: new Float64Array(watches).fill(Number.NaN),
    isOpen: new Uint8Array(watches),
    silent: new Int32Array(0),
    kinds: Uint8Array.from(watched, ({ kind }) => KINDS[kind]),
    above: Float64Array.from(watched, ({ above }) => above ?? Number.POSITIVE_INFINITY),
    below: Float64Array.from(watched, ({ below }) => below ?? Number.NEGATIVE_INFINITY),
    durationMs: Float64Array.from(watched, ({ durationSeconds }) => durationSeconds * 1000),
    feedSince: new Float64Array(watched.length).fill(Number.NEGATIVE_INFINITY),
    buildingReceivedAt: Number.NEGATIVE_INFINITY,
  }
  const next = starts.slice()
  for (const [rule, points] of pointsOf.entries()) {
    for (const point of points) {
      const slot = slots[point - base]!
      const watch = next[slot]!++
      list.points[slot] = point
      list.ruleOf[watch] = rule
      list.slotOf[watch] = slot
    }
  }
  list.silent = list.slotOf.map((_, watch) => watch).filter((watch) => list.kinds[list.ruleOf[watch]!] === KINDS.silent)
  return list
}

/** The number of watches. */
export const countWatches = (rules: readonly WatchedRule[], groups: readonly PointGroup[]): number =>
  rules.reduce((sum, rule) => sum + (rule.enabled ? pointsFor(rule, rules, groups).length : 0), 0)

export const slotOfPoint = ({ base, slots }: WatchList, point: number): number => slots[point - base] ?? 0

/** The watch of the rule with this index at a point, or -1 if there is none. */
export function findWatch(list: WatchList, rule: number, point: number): number {
  const slot = slotOfPoint(list, point)
  for (let watch = list.starts[slot]!; watch < list.starts[slot + 1]!; watch++) {
    if (list.ruleOf[watch] === rule) return watch
  }
  return -1
}

function pointsFor(rule: WatchedRule, all: readonly WatchedRule[], groups: readonly PointGroup[]): readonly number[] {
  if (rule.pointId !== null) return rule.point === null ? [] : [rule.point]
  return groups
    .filter((group) => applies(rule, group) && !isOverridden(rule, all, group))
    .flatMap(({ points }) => points)
}

const SCOPE = ['pointName', 'quantityKind', 'unit', 'pointType', 'elementTypeSlug'] as const
const applies = (rule: WatchedRule, group: PointGroup) =>
  SCOPE.every((name) => rule[name] === null || rule[name] === group[name])
const namedBy = (rule: WatchedRule) => SCOPE.filter((name) => rule[name] !== null).length

/**
 * Of the default rules of one kind that apply to a point, only the most specific one counts: the alarm of a smoke
 * detector is one critical fault, and not also a fault of the rule for all alarms. If the most specific rule is
 * disabled, none of these rules reports a fault.
 */
function isOverridden(rule: WatchedRule, all: readonly WatchedRule[], group: PointGroup): boolean {
  if (!rule.isDefault) return false
  return all.some(
    (other) =>
      other.isDefault &&
      other.kind === rule.kind &&
      other.pointId === null &&
      namedBy(other) > namedBy(rule) &&
      applies(other, group),
  )
}

function rangeOf(lists: readonly (readonly number[])[]): { base: number; span: number } {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const points of lists) {
    for (const point of points) {
      if (point < first) first = point
      if (point > last) last = point
    }
  }
  return last < first ? { base: 0, span: 0 } : { base: first, span: last - first + 1 }
}
