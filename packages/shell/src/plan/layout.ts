import type { SpaceNode } from '@storey/sdk'
import { type LabelArea, labelArea } from '@storey/web'
import { type Box, boxOf, flip, type Outline, pathOf } from './geometry.ts'

/** The geometry of a room; x and y are the centre of its label area, from which the arrow keys measure distances. */
export interface RoomLayout {
  id: string
  space: SpaceNode
  path: string
  labelArea: LabelArea
  x: number
  y: number
}

export interface StoreyLayout {
  box: Box
  outlinePath: string
  rooms: readonly RoomLayout[]
}

/** The geometry of a storey. Rooms without an outline are left out; the table of the plan page has them. */
export function layoutOf(spaces: readonly SpaceNode[], outline: Outline | null | undefined): StoreyLayout {
  const rooms: RoomLayout[] = []
  const shapes: Outline[] = outline && outline.length > 2 ? [flip(outline)] : []
  for (const space of spaces) {
    if (!space.polygon || space.polygon.length < 3) continue
    const shape = flip(space.polygon)
    const area = labelArea(shape)
    if (!area) continue
    shapes.push(shape)
    rooms.push({ id: space.id, space, path: pathOf(shape), labelArea: area, x: area.x, y: area.y })
  }
  return { box: boxOf(shapes), outlinePath: outline && outline.length > 2 ? pathOf(flip(outline)) : '', rooms }
}
