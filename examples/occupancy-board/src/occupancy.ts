/** `used`: somebody is there, but the number is unknown. */
export const STATES = ['free', 'filling', 'used', 'full', 'unknown'] as const
export type State = (typeof STATES)[number]

export interface Reading {
  value: number
  at: number
}

/** The signals of a room, by source. */
export interface Signals {
  /** Reports every few minutes. */
  counter?: Reading | undefined
  /** Reports when the number of people changes. */
  wifi?: Reading | undefined
  /** Reports when the first person enters or the last one leaves: 1 or 0. */
  presence?: Reading | undefined
}

export interface Occupancy {
  state: State
  /** The last known value, even if it is too old to use. */
  count: number | undefined
  at: number | undefined
}

/**
 * After this time without a report, the value of a counter is outdated. After this time without any data of the
 * building, the state of every room is unknown.
 */
export const SILENT_AFTER_MS = 30 * 60_000
/** A room counts as full slightly below its capacity. */
const FULL_SHARE = 0.9

/**
 * The state by the newest signal. A signal that reports only changes stays valid as long as the building sends any data;
 * `lastDataAt` is the time of the last data.
 */
export function occupancyOf(
  capacity: number,
  signals: Signals,
  { now, lastDataAt }: { now: number; lastDataAt: number },
) {
  const { counter, wifi, presence } = signals
  const isLate = counter !== undefined && now - counter.at > SILENT_AFTER_MS
  const count = newer(isLate ? undefined : counter, wifi)
  const newest = newer(count, presence)
  if (newest === undefined) return { state: 'unknown', count: counter?.value, at: counter?.at } satisfies Occupancy
  const people = newest === presence ? peopleBy(presence, count, capacity) : newest.value
  const state = now - lastDataAt > SILENT_AFTER_MS ? 'unknown' : stateOf(people, capacity)
  return { state, count: people, at: newest.at } satisfies Occupancy
}

/** A presence sensor does not count people, so an earlier count above zero stays valid. */
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

/** The newer signal; the first one if both have the same time. */
export function newer(a: Reading | undefined, b: Reading | undefined): Reading | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return b.at > a.at ? b : a
}
