import type { SpaceNode } from '@storey/sdk'
import { type TextPlace, textPlace } from '@storey/web'
import { type Box, boxOf, flip, type Outline, pathOf } from './geometry.ts'

/** A room as it is drawn; x and y are its middle, for the arrow keys. */
export interface RoomLayout {
  id: string
  space: SpaceNode
  path: string
  place: TextPlace
  x: number
  y: number
}

export interface StoreyLayout {
  box: Box
  outlinePath: string
  rooms: readonly RoomLayout[]
}

/** What a storey looks like on the screen. Rooms without an outline are in no plan: the table has them. */
export function layoutOf(spaces: readonly SpaceNode[], outline: Outline | null | undefined): StoreyLayout {
  const rooms: RoomLayout[] = []
  const shapes: Outline[] = outline && outline.length > 2 ? [flip(outline)] : []
  for (const space of spaces) {
    if (!space.polygon || space.polygon.length < 3) continue
    const shape = flip(space.polygon)
    const place = textPlace(shape)
    if (!place) continue
    shapes.push(shape)
    rooms.push({ id: space.id, space, path: pathOf(shape), place, x: place.x, y: place.y })
  }
  return { box: boxOf(shapes), outlinePath: outline && outline.length > 2 ? pathOf(flip(outline)) : '', rooms }
}
