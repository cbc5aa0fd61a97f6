import type { BuildingSpec } from '@storey/building'

/** What the thread that has the model is started with. */
export interface ThreadData {
  spec: BuildingSpec
}

/** What there is in the building, in the order in which the thread numbers it. Ids are GlobalIds. */
export interface Outline {
  points: string[]
  rooms: { globalId: string; isConditioned: boolean; isMeetingRoom: boolean }[]
}

/** A damper that was told to stick, by the number of its position point. */
export interface StuckOrder {
  faultId: string
  point: number
  startMs: number
  endMs: number
}

/** All samples of a span within one UTC day, in the order of their times. */
export interface Window {
  dayStart: number
  fromMs: number
  /** Not included. */
  toMs: number
  /** Milliseconds since the start of the day. */
  offsetsMs: Uint32Array
  /** Numbers of points; the complement of one whose value is a word. */
  points: Int32Array
  /** Values, or places in `words`. */
  values: Float64Array
  words: string[]
  /** Where each stuck damper stands, by fault. */
  held: Map<string, number>
}

export type ModelOrder =
  | { id: number; want: 'outline' }
  | { id: number; want: 'window'; fromMs: number; toMs: number; stuck: StuckOrder[] }
  /** People in each room at each step of a UTC day, a room after the other. */
  | { id: number; want: 'people'; dayStart: number }

export type ModelReply = { id: number; result: Outline | Window | Uint16Array } | { id: number; failed: string }
