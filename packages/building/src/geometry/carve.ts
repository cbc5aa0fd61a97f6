import type { PlacedRoom, RoomRequest } from './room.ts'
import { type Corner, cut, type Rect, rectOutline } from './shapes.ts'

/** The side of a row on which its corridor is. A row between two corridors has `both`. */
export type Front = 'south' | 'north' | 'both'

/** The width of a door. In a cell of at least twice this width, the leg of the large room is at least this wide. */
const DOOR_MM = 700

/**
 * Places small rooms between a large room (`host`) and the corridor. The large room becomes L-shaped: its leg reaches
 * the corridor. Small rooms over the whole depth of a deep row would be long and narrow.
 */
export function carve(
  cell: Rect,
  front: Front,
  host: RoomRequest,
  small: readonly RoomRequest[],
  legOnWest: boolean,
  gridMm: number,
): PlacedRoom[] {
  const width = cell.x1 - cell.x0
  const depth = cell.y1 - cell.y0
  const smallSqm = small.reduce((sum, request) => sum + request.areaSqm, 0)
  const hostSqm = Math.max(host.areaSqm, 1e-6)
  const smallShare = smallSqm / (smallSqm + hostSqm)
  const door = width >= 2 * DOOR_MM ? DOOR_MM : 0
  const minLeg = Math.min(Math.max(1500, width * 0.1), Math.max(width * 0.3, door))
  const meanSqm = (smallShare * width * depth) / small.length
  const wanted = Math.sqrt(meanSqm * 1.7)
  const needed = (smallShare * width * depth) / (width - minLeg)
  const strip = snap(Math.min(Math.max(wanted, needed, depth * 0.2), depth * 0.66), gridMm, depth)
  const stripWidth = Math.min(width - minLeg, (smallShare * width * depth) / strip)
  const leg = snap(width - stripWidth, gridMm, width)

  const from = legOnWest ? cell.x0 + leg : cell.x0
  const to = legOnWest ? cell.x1 : cell.x1 - leg
  const inner = cell.y0 + strip
  const cuts = doorWideCuts(from, to, small, gridMm)
  const placed: PlacedRoom[] = small.map((request, i) => ({
    request,
    outline: rectOutline({ x0: cuts[i]!, y0: cell.y0, x1: cuts[i + 1]!, y1: inner }),
  }))
  placed.push({ request: host, outline: legOutline(cell, from, to, inner, legOnWest) })
  return front === 'south' || front === 'both' ? placed : placed.map((room) => mirrored(room, cell))
}

/**
 * Cuts a strip into rooms in the ratio of their areas, where an area below half the mean counts as half the mean. If a
 * room other than a shaft would then be narrower than a door, an area below the mean counts as the mean.
 */
function doorWideCuts(from: number, to: number, small: readonly RoomRequest[], gridMm: number): number[] {
  const meanSqm = small.reduce((sum, request) => sum + request.areaSqm, 0) / small.length
  const cutsWith = (minSqm: number) =>
    cut(
      from,
      to,
      small.map((request) => Math.max(request.areaSqm, minSqm)),
      gridMm,
    )
  const cuts = cutsWith(meanSqm / 2)
  const isTooNarrow = small.some(({ type }, i) => type !== 'shaft' && cuts[i + 1]! - cuts[i]! < DOOR_MM)
  return isTooNarrow ? cutsWith(meanSqm) : cuts
}

function legOutline(cell: Rect, from: number, to: number, inner: number, legOnWest: boolean): Corner[] {
  const { x0, y0, x1, y1 } = cell
  return legOnWest
    ? [
        [x0, y0],
        [from, y0],
        [from, inner],
        [x1, inner],
        [x1, y1],
        [x0, y1],
      ]
    : [
        [x0, inner],
        [to, inner],
        [to, y0],
        [x1, y0],
        [x1, y1],
        [x0, y1],
      ]
}

/** Rooms are placed as if the corridor were south of the row. For a corridor in the north the result is mirrored. */
function mirrored({ request, outline }: PlacedRoom, { y0, y1 }: Rect): PlacedRoom {
  return { request, outline: outline.map(([x, y]): Corner => [x, y0 + y1 - y]).reverse() }
}

function snap(lengthMm: number, gridMm: number, withinMm: number): number {
  const unit = withinMm >= gridMm * 12 ? gridMm : 1
  return Math.min(Math.max(Math.round(lengthMm / unit) * unit, unit), withinMm - unit)
}
