import type { PlacedRoom, RoomWish } from './room.ts'
import { type Corner, cut, type Rect, rectOutline } from './shapes.ts'

/** The side of a row on which its corridor runs; rows inside the plate have one on both. */
export type Front = 'south' | 'north' | 'both'

/** Where a row has the width for two doors, the leg keeps one. */
const DOOR_MM = 700

/**
 * Puts small rooms along the corridor side of a large one, which keeps a leg of its own to the corridor. A deep row
 * then holds small rooms of good proportions instead of slivers.
 */
export function carve(
  cell: Rect,
  front: Front,
  host: RoomWish,
  small: readonly RoomWish[],
  legOnWest: boolean,
  gridMm: number,
): PlacedRoom[] {
  const width = cell.x1 - cell.x0
  const depth = cell.y1 - cell.y0
  const smallSqm = small.reduce((sum, wish) => sum + wish.areaSqm, 0)
  const hostSqm = Math.max(host.areaSqm, 1e-6)
  const smallShare = smallSqm / (smallSqm + hostSqm)
  const door = width >= 2 * DOOR_MM ? DOOR_MM : 0
  const leastLeg = Math.min(Math.max(1500, width * 0.1), Math.max(width * 0.3, door))
  const meanSqm = (smallShare * width * depth) / small.length
  const wanted = Math.sqrt(meanSqm * 1.7)
  const needed = (smallShare * width * depth) / (width - leastLeg)
  const strip = snap(Math.min(Math.max(wanted, needed, depth * 0.2), depth * 0.66), gridMm, depth)
  const stripWidth = Math.min(width - leastLeg, (smallShare * width * depth) / strip)
  const leg = snap(width - stripWidth, gridMm, width)

  const from = legOnWest ? cell.x0 + leg : cell.x0
  const to = legOnWest ? cell.x1 : cell.x1 - leg
  const inner = cell.y0 + strip
  const least = smallSqm / small.length / 2
  const weights = small.map((wish) => Math.max(wish.areaSqm, least))
  const cuts = cut(from, to, weights, gridMm)
  const placed: PlacedRoom[] = small.map((wish, i) => ({
    wish,
    outline: rectOutline({ x0: cuts[i]!, y0: cell.y0, x1: cuts[i + 1]!, y1: inner }),
  }))
  placed.push({ wish: host, outline: legOutline(cell, from, to, inner, legOnWest) })
  return front === 'south' || front === 'both' ? placed : placed.map((room) => mirrored(room, cell))
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

/** Rooms are carved as if the corridor ran south of the row; north is the same upside down. */
function mirrored({ wish, outline }: PlacedRoom, { y0, y1 }: Rect): PlacedRoom {
  return { wish, outline: outline.map(([x, y]): Corner => [x, y0 + y1 - y]).reverse() }
}

function snap(lengthMm: number, gridMm: number, withinMm: number): number {
  const unit = withinMm >= gridMm * 12 ? gridMm : 1
  return Math.min(Math.max(Math.round(lengthMm / unit) * unit, unit), withinMm - unit)
}
