import type { Random } from '../seeded/random.ts'
import { carve, type Front } from './carve.ts'
import type { PlacedRoom, RoomWish } from './room.ts'
import { cut, type Rect, rectOutline } from './shapes.ts'

/** A stretch of a row that rooms fill from end to end, all of them touching the corridor in front. */
export interface Segment extends Rect {
  front: Front
  /** Which end of the segment lies away from the core. */
  outer: 'west' | 'east' | 'both'
}

/** Beyond this ratio of depth to width a room looks like a sliver. */
const WORST_ASPECT = 2.6

/** Rooms that share one stretch of the corridor: one, two back to back, or small ones carved out of a large one. */
interface Cell {
  rooms: RoomWish[]
  host: RoomWish | null
  rank: number
}

export function fillSegment(
  segment: Segment,
  wishes: readonly RoomWish[],
  random: Random,
  gridMm: number,
  keepOrder = false,
): PlacedRoom[] {
  const depthM = (segment.y1 - segment.y0) / 1000
  const lengthM = (segment.x1 - segment.x0) / 1000
  const fitted = fitAreas(wishes, depthM * lengthM)
  const cells = group(fitted, depthM, segment.front)
  const ordered = keepOrder ? cells : inOrder(cells, segment.outer)
  // A room keeps a width fit for a door, at its neighbours' expense, as far as all can have it.
  const least = Math.min((depthM * depthM) / 3.2, (depthM * lengthM) / ordered.length / 1.4)
  const weights = ordered.map((cell) => Math.max(least, sumOf(cell.rooms)))
  const cuts = cut(segment.x0, segment.x1, weights, gridMm)
  return ordered.flatMap((cell, i) => {
    const rect = { x0: cuts[i]!, x1: cuts[i + 1]!, y0: segment.y0, y1: segment.y1 }
    return placeCell(cell, rect, segment.front, random.chance(0.5), gridMm)
  })
}

/** Makes the areas add up to the room there is: elastic rooms give or take first, then all in proportion. */
function fitAreas(wishes: readonly RoomWish[], availableSqm: number): RoomWish[] {
  const elastic = sumOf(wishes.filter((wish) => wish.elastic))
  const rest = sumOf(wishes) - elastic
  const stretch = elastic > 0 ? Math.min(Math.max((availableSqm - rest) / elastic, 0.5), 3) : 1
  const scale = availableSqm / (rest + elastic * stretch)
  return wishes.map((wish) => ({ ...wish, areaSqm: wish.areaSqm * scale * (wish.elastic ? stretch : 1) }))
}

const sumOf = (wishes: readonly RoomWish[]) => wishes.reduce((total, wish) => total + wish.areaSqm, 0)

/** Narrow rooms pair up back to back in an inner row; in an outer one they are carved out of larger ones. */
function group(wishes: readonly RoomWish[], depthM: number, front: Front): Cell[] {
  const isNarrow = (wish: RoomWish) => (depthM * depthM) / wish.areaSqm > WORST_ASPECT
  if (front === 'both') {
    return [...wishes.filter((wish) => !isNarrow(wish)).map(single), ...backToBack(wishes.filter(isNarrow))]
  }
  // Only rooms that may have any shape give way to others: an L is no form for a meeting room.
  const hosts = wishes.filter((wish) => wish.elastic).map((host) => ({ host, carved: [] as RoomWish[], carvedSqm: 0 }))
  const placed = new Set<RoomWish>()
  for (const wish of wishes.filter(isNarrow).sort((a, b) => a.areaSqm - b.areaSqm)) {
    const taker = hosts
      .filter(({ host, carved, carvedSqm }) => {
        const fits = carvedSqm + wish.areaSqm <= host.areaSqm * 0.55 && wish.areaSqm <= host.areaSqm * 0.6
        return fits && carved.length < 4 && host !== wish && !placed.has(host)
      })
      .sort((a, b) => a.carvedSqm / a.host.areaSqm - b.carvedSqm / b.host.areaSqm)[0]
    const isHost = hosts.some(({ host, carved }) => host === wish && carved.length > 0)
    if (!taker || isHost) continue
    taker.carved.push(wish)
    taker.carvedSqm += wish.areaSqm
    placed.add(wish)
  }
  const carvings = hosts.filter(({ host, carved }) => carved.length > 0 && !placed.has(host))
  for (const { host } of carvings) placed.add(host)
  return [
    ...carvings.map(({ host, carved }) => ({ rooms: [...carved, host], host, rank: host.rank })),
    ...wishes.filter((wish) => !placed.has(wish)).map(single),
  ]
}

const single = (wish: RoomWish): Cell => ({ rooms: [wish], host: null, rank: wish.rank })

/** Pairs narrow rooms of an inner row, each of the two facing its own corridor. */
function backToBack(narrow: readonly RoomWish[]): Cell[] {
  const bySize = [...narrow].sort((a, b) => a.rank - b.rank || b.areaSqm - a.areaSqm)
  const cells: Cell[] = []
  for (let i = 0; i < bySize.length; i += 2) {
    const rooms = bySize.slice(i, i + 2)
    cells.push({ rooms, host: null, rank: Math.min(...rooms.map((wish) => wish.rank)) })
  }
  return cells
}

function inOrder(cells: readonly Cell[], outer: Segment['outer']): Cell[] {
  const nearFirst = [...cells].sort((a, b) => a.rank - b.rank)
  if (outer === 'east') return nearFirst
  if (outer === 'west') return nearFirst.reverse()
  const ordered: Cell[] = []
  nearFirst.forEach((cell, i) => {
    if (i % 2 === 0) ordered.push(cell)
    else ordered.unshift(cell)
  })
  return ordered
}

function placeCell(cell: Cell, rect: Rect, front: Front, legOnWest: boolean, gridMm: number): PlacedRoom[] {
  const [first, second] = cell.rooms as [RoomWish, RoomWish | undefined]
  if (cell.host) {
    const small = cell.rooms.filter((wish) => wish !== cell.host)
    return carve(rect, front, cell.host, small, legOnWest, gridMm)
  }
  if (!second) return [{ wish: first, outline: rectOutline(rect) }]
  const cuts = cut(rect.y0, rect.y1, [first.areaSqm, second.areaSqm], gridMm)
  return [
    { wish: first, outline: rectOutline({ ...rect, y1: cuts[1]! }) },
    { wish: second, outline: rectOutline({ ...rect, y0: cuts[1]! }) },
  ]
}
