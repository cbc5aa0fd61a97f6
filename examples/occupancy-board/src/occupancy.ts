/** `used`: somebody is there, and nobody counts. */
export const STATES = ['free', 'filling', 'used', 'full', 'unknown'] as const
export type State = (typeof STATES)[number]

export interface Reading {
  value: number
  at: number
}

/** What is known of a room, by where it comes from. */
export interface Signals {
  /** Tells every few minutes. */
  counter?: Reading | undefined
  /** Tells when the number of people changes. */
  wifi?: Reading | undefined
  /** Tells when somebody comes or the last one goes: 0 or 1. */
  presence?: Reading | undefined
}

export interface Occupancy {
  state: State
  /** The last that was known, also where it is too old to go by. */
  count: number | undefined
  at: number | undefined
}

/** After so long a counter that says nothing, or a building that says nothing, is not believed. */
export const SILENT_AFTER_MS = 30 * 60_000
/** A room counts as full a little before the last chair is taken. */
const FULL_SHARE = 0.9

/**
 * The newest signal decides. A signal that tells changes only does not age by itself: it holds as long as the building
 * speaks at all, which `heardAt` tells.
 */
export function judge(capacity: number, signals: Signals, { now, heardAt }: { now: number; heardAt: number }) {
  const { counter, wifi, presence } = signals
  const isLate = counter !== undefined && now - counter.at > SILENT_AFTER_MS
  const count = newer(isLate ? undefined : counter, wifi)
  const newest = newer(count, presence)
  if (newest === undefined) return { state: 'unknown', count: counter?.value, at: counter?.at } satisfies Occupancy
  const people = newest === presence ? peopleBy(presence, count, capacity) : newest.value
  const state = now - heardAt > SILENT_AFTER_MS ? 'unknown' : stateOf(people, capacity)
  return { state, count: people, at: newest.at } satisfies Occupancy
}

/** A sensor that sees somebody does not say how many: an earlier count of more than nobody still stands. */
function peopleBy(presence: Reading, count: Reading | undefined, capacity: number): number | undefined {
  if (presence.value === 0) return 0
  if (count !== undefined && count.value > 0) return count.value
  return capacity === 1 ? 1 : undefined
}

function stateOf(people: number | undefined, capacity: number): State {
  if (people === undefined) return 'used'
  if (people === 0) return 'free'
  return people >= capacity * FULL_SHARE ? 'full' : 'filling'
}

/** Of two at the same moment the first one. */
export function newer(a: Reading | undefined, b: Reading | undefined): Reading | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return b.at > a.at ? b : a
}
