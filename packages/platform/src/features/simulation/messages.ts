import type { BuildingSpec } from '@storey/building'

/** The data with which the model thread is started. */
export interface ThreadData {
  spec: BuildingSpec
}

/** The points and rooms of the building, in the order of their numbers in the model. Ids are GlobalIds. */
export interface Outline {
  points: string[]
  rooms: { globalId: string; isConditioned: boolean; isMeetingRoom: boolean }[]
}

/** A stuck damper, identified by the number of its position point. */
export interface StuckDamper {
  /** `<id of the fault>/<number of the point>`, because a fault of an element may affect several dampers. */
  faultId: string
  point: number
  startMs: number
  endMs: number
}

/** All samples of a range of time within one UTC day, ordered by time. */
export interface Window {
  dayStart: number
  fromMs: number
  /** Not included. */
  toMs: number
  /** Milliseconds since the start of the day. */
  offsetsMs: Uint32Array
  /** The number of the point of each sample; the bitwise complement of the number if the value is a text. */
  points: Int32Array
  /** Values, or indexes into `words`. */
  values: Float64Array
  words: string[]
  /** The position of each stuck damper, by `faultId` of `StuckDamper`. */
  stuckAt: Map<string, number>
}

export type ModelRequest =
  | { id: number; kind: 'outline' }
  | { id: number; kind: 'window'; fromMs: number; toMs: number; stuck: StuckDamper[] }
  /** The number of people in each room at each time step of the model in a UTC day, room by room. */
  | { id: number; kind: 'people'; dayStart: number }

export type ModelReply = { id: number; result: Outline | Window | Uint32Array } | { id: number; failed: string }
