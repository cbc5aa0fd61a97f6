import type { Corner } from './shapes.ts'

/** A room that a storey should have, before it has a place. */
export interface RoomWish {
  type: string
  areaSqm: number
  /** Takes up what is left of its row, or gives way, before others do. */
  elastic: boolean
  /** Rooms that need no window lie inside the plate where there is an inside. */
  inside: boolean
  /** 0 stands beside the core, 9 at the far end of the row. */
  rank: number
  /** A name that says more than the type's. */
  label?: string
}

export interface PlacedRoom {
  wish: RoomWish
  outline: Corner[]
}

export function room(
  type: string,
  areaSqm: number,
  options: Partial<Omit<RoomWish, 'type' | 'areaSqm'>> = {},
): RoomWish {
  return { type, areaSqm, elastic: false, inside: false, rank: 5, ...options }
}
