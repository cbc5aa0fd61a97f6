import type { Random } from '../random/random.ts'
import { carve, type Front } from './carve.ts'
import type { PlacedRoom, RoomRequest } from './room.ts'
import { cut, type Rect, rectOutline } from './shapes.ts'

/** A part of a row that is filled with rooms. Each room touches a corridor in front of the row. */
export interface Segment extends Rect {
  front: Front
  /** The end of the segment that is away from the core; `both` if the segment is a whole row. */
  outer: 'west' | 'east' | 'both'
}

/** A room with a larger ratio of depth to width is paired with another narrow room, or carved out of a larger room. */
const MAX_ASPECT = 2.6

/** One slice of the row: one room, two rooms back to back, or a large room with small rooms carved out of it. */
interface Cell {
  rooms: RoomRequest[]
  host: RoomRequest | null
  rank: number
}

export function fillSegment(
  segment: Segment,
  requests: readonly RoomRequest[],
  random: Random,
  gridMm: number,
  keepOrder = false,
): PlacedRoom[] {
  const depthM = (segment.y1 - segment.y0) / 1000
  const lengthM = (segment.x1 - segment.x0) / 1000
  const fitted = fitAreas(requests, depthM * lengthM)
  const cells = group(fitted, depthM, segment.front)
  const ordered = keepOrder ? cells : inOrder(cells, segment.outer)
  // As far as the length of the segment allows, no cell is much deeper than 3.2 times its width.
  const min = Math.min((depthM * depthM) / 3.2, (depthM * lengthM) / ordered.length / 1.4)
  const weights = ordered.map((cell) => Math.max(min, sumOf(cell.rooms)))
  const cuts = cut(segment.x0, segment.x1, weights, gridMm)
  return ordered.flatMap((cell, i) => {
    const rect = { x0: cuts[i]!, x1: cuts[i + 1]!, y0: segment.y0, y1: segment.y1 }
    return placeCell(cell, rect, segment.front, random.chance(0.5), gridMm)
  })
}

/** Scales the areas to the available area: elastic rooms first, then all in proportion. */
function fitAreas(requests: readonly RoomRequest[], availableSqm: number): RoomRequest[] {
  const elastic = sumOf(requests.filter((request) => request.elastic))
  const rest = sumOf(requests) - elastic
  const stretch = elastic > 0 ? Math.min(Math.max((availableSqm - rest) / elastic, 0.5), 3) : 1
  const scale = availableSqm / (rest + elastic * stretch)
  return requests.map((request) => ({ ...request, areaSqm: request.areaSqm * scale * (request.elastic ? stretch : 1) }))
}

const sumOf = (requests: readonly RoomRequest[]) => requests.reduce((total, request) => total + request.areaSqm, 0)

/**
 * Divides the rooms into cells. In an inner row, which is between two corridors, narrow rooms are paired back to back.
 * In an outer row, narrow rooms are carved out of larger rooms.
 */
function group(requests: readonly RoomRequest[], depthM: number, front: Front): Cell[] {
  const isNarrow = (request: RoomRequest) => (depthM * depthM) / request.areaSqm > MAX_ASPECT
  if (front === 'both') {
    return [...requests.filter((request) => !isNarrow(request)).map(single), ...backToBack(requests.filter(isNarrow))]
  }
  // Only elastic rooms, such as open offices, may become L-shaped.
  const hosts = requests
    .filter((request) => request.elastic)
    .map((host) => ({ host, carved: [] as RoomRequest[], carvedSqm: 0 }))
  const placed = new Set<RoomRequest>()
  for (const request of requests.filter(isNarrow).sort((a, b) => a.areaSqm - b.areaSqm)) {
    const target = hosts
      .filter(({ host, carved, carvedSqm }) => {
        const fits = carvedSqm + request.areaSqm <= host.areaSqm * 0.55 && request.areaSqm <= host.areaSqm * 0.6
        return fits && carved.length < 4 && host !== request && !placed.has(host)
      })
      .sort((a, b) => a.carvedSqm / a.host.areaSqm - b.carvedSqm / b.host.areaSqm)[0]
    const isHost = hosts.some(({ host, carved }) => host === request && carved.length > 0)
    if (!target || isHost) continue
    target.carved.push(request)
    target.carvedSqm += request.areaSqm
    placed.add(request)
  }
  const carvings = hosts.filter(({ host, carved }) => carved.length > 0 && !placed.has(host))
  for (const { host } of carvings) placed.add(host)
  return [
    ...carvings.map(({ host, carved }) => ({ rooms: [...carved, host], host, rank: host.rank })),
    ...requests.filter((request) => !placed.has(request)).map(single),
  ]
}

const single = (request: RoomRequest): Cell => ({ rooms: [request], host: null, rank: request.rank })

/** Pairs narrow rooms of an inner row. The two rooms of a pair face different corridors. */
function backToBack(narrow: readonly RoomRequest[]): Cell[] {
  const bySize = [...narrow].sort((a, b) => a.rank - b.rank || b.areaSqm - a.areaSqm)
  const cells: Cell[] = []
  for (let i = 0; i < bySize.length; i += 2) {
    const rooms = bySize.slice(i, i + 2)
    cells.push({ rooms, host: null, rank: Math.min(...rooms.map((request) => request.rank)) })
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
  const [first, second] = cell.rooms as [RoomRequest, RoomRequest | undefined]
  if (cell.host) {
    const small = cell.rooms.filter((request) => request !== cell.host)
    return carve(rect, front, cell.host, small, legOnWest, gridMm)
  }
  if (!second) return [{ request: first, outline: rectOutline(rect) }]
  const cuts = cut(rect.y0, rect.y1, [first.areaSqm, second.areaSqm], gridMm)
  return [
    { request: first, outline: rectOutline({ ...rect, y1: cuts[1]! }) },
    { request: second, outline: rectOutline({ ...rect, y0: cuts[1]! }) },
  ]
}
