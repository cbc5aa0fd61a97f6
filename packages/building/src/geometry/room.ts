import type { Corner } from './shapes.ts'

/** A room that a storey should have, before it is placed. */
export interface RoomRequest {
  type: string
  areaSqm: number
  /** Grows or shrinks to fill its row, before other rooms do. */
  elastic: boolean
  /** The room needs no window. It is placed in an inner row, if there is one. */
  inside: boolean
  /** The position in the row: 0 is beside the core, 9 at the far end. */
  rank: number
  /** A more specific name than that of the type. */
  label?: string
}

export interface PlacedRoom {
  request: RoomRequest
  outline: Corner[]
}

export function room(
  type: string,
  areaSqm: number,
  options: Partial<Omit<RoomRequest, 'type' | 'areaSqm'>> = {},
): RoomRequest {
  return { type, areaSqm, elastic: false, inside: false, rank: 5, ...options }
}
