import type { Corner } from './shapes.ts'

/** A room that a storey should have, before it is placed. */
export interface RoomRequest {
  type: string
  areaSqm: number
  /** The room grows or shrinks to fill its segment of the row, before other rooms do. */
  elastic: boolean
  /** The room needs no window, so an inner row is preferred for it. */
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
