import type { Random } from '../random/random.ts'
import { carve } from './carve.ts'
import { type Frame, rowsOf } from './frame.ts'
import { type PlacedRoom, type RoomRequest, room } from './room.ts'
import { fillSegment, type Segment } from './segment.ts'
import { type Rect, rectOutline, rectSqm } from './shapes.ts'

/** The rooms of the core: the lift lobby, and stairs, toilets and service rooms west and east of it. */
export interface CoreRequest {
  west: RoomRequest[]
  lobby: RoomRequest
  east: RoomRequest[]
  /** The room behind the core, if the core does not fill the depth of its row. */
  behind: RoomRequest | null
}

/** The positions of corridors, core, hall and end rooms, and the segments left for ordinary rooms. */
export interface StoreyPlan {
  frame: Frame
  placed: PlacedRoom[]
  segments: Segment[]
}

export interface PlanRequest {
  /** Space type of the corridors. */
  corridor: string
  core: CoreRequest | null
  /** A hall from the south facade to the first corridor. */
  hall: RoomRequest | null
  /** The rooms at the west and the east end of the storey. Each takes the whole depth of the storey. */
  ends: [RoomRequest, RoomRequest] | null
}

/** Places corridors, core, hall and end rooms. The remaining area is divided into segments, each beside a corridor. */
export function planStorey(frame: Frame, request: PlanRequest, random: Random): StoreyPlan {
  const rows = rowsOf(frame)
  const { widthMm, depthMm, corridors } = frame
  const plan: StoreyPlan = { frame, placed: [], segments: [] }
  const endMm = (end: RoomRequest) => snap(frame, Math.min((end.areaSqm * 1e6) / depthMm, widthMm * 0.3))
  const x0 = request.ends ? endMm(request.ends[0]) : 0
  const x1 = request.ends ? widthMm - endMm(request.ends[1]) : widthMm
  if (request.ends) {
    plan.placed.push({ request: request.ends[0], outline: rectOutline({ x0: 0, y0: 0, x1: x0, y1: depthMm }) })
    plan.placed.push({ request: request.ends[1], outline: rectOutline({ x0: x1, y0: 0, x1: widthMm, y1: depthMm }) })
  }
  for (let i = 0; i < corridors; i++) {
    const rect = { x0, x1, y0: rows[i]!.y1, y1: rows[i + 1]!.y0 }
    plan.placed.push({ request: room(request.corridor, rectSqm(rect)), outline: rectOutline(rect) })
  }

  const coreRow = coreRowOf(corridors)
  rows.forEach((row, i) => {
    const whole: Segment = { x0, x1, ...row, front: frontOf(i, corridors), outer: 'both' }
    if (i === coreRow && request.core) placeCore(plan, whole, request.core, random)
    else if (i > 0 && i < corridors) placeLink(plan, whole, request)
    else if (i === 0 && request.hall) placeHall(plan, whole, request.hall)
    else plan.segments.push(whole)
  })
  return plan
}

/** The index of the row that holds the core: an inner row, or with a single corridor the row north of the corridor. */
const coreRowOf = (corridors: number) => Math.max(1, Math.ceil(corridors / 2))

const frontOf = (row: number, corridors: number) => (row === 0 ? 'north' : row === corridors ? 'south' : 'both')

/** The number of segments of a plan. Each segment needs at least one room. */
export function segmentCount(corridors: number, hasCore: boolean, hasHall: boolean): number {
  const splitByCore = corridors === 1 && hasCore ? 1 : 0
  return 2 * corridors + splitByCore + (hasHall ? 1 : 0)
}

function placeCore(plan: StoreyPlan, row: Segment, core: CoreRequest, random: Random): void {
  const { frame } = plan
  const depthM = (row.y1 - row.y0) / 1000
  const length = row.x1 - row.x0
  const sum = (requests: readonly RoomRequest[]) => requests.reduce((total, request) => total + request.areaSqm, 0)
  const mm = (areaSqm: number, max: number) => snap(frame, Math.min((areaSqm * 1000) / depthM, max))

  if (core.behind) {
    const half = mm((sum(core.west) + core.lobby.areaSqm + sum(core.east) + core.behind.areaSqm) / 2, length * 0.2)
    const block = { ...row, x0: frame.coreCentreMm - half, x1: frame.coreCentreMm + half }
    const front = [...core.west, core.lobby, ...core.east]
    plan.placed.push(...carve(block, row.front, core.behind, front, false, frame.gridMm))
    beside(plan, row, block)
    return
  }
  const lobbyMm = Math.max(2, mm(core.lobby.areaSqm, length * 0.14))
  const lobby = {
    ...row,
    x0: frame.coreCentreMm - Math.floor(lobbyMm / 2),
    x1: frame.coreCentreMm + Math.ceil(lobbyMm / 2),
  }
  plan.placed.push({ request: core.lobby, outline: rectOutline(lobby) })
  const westMm = core.west.length > 0 ? mm(sum(core.west), length * 0.2) : 0
  const eastMm = core.east.length > 0 ? mm(sum(core.east), length * 0.2) : 0
  const block = { ...row, x0: lobby.x0 - westMm, x1: lobby.x1 + eastMm }
  if (westMm > 0) {
    plan.placed.push(...fillSegment({ ...row, x0: block.x0, x1: lobby.x0 }, core.west, random, frame.gridMm, true))
  }
  if (eastMm > 0) {
    plan.placed.push(...fillSegment({ ...row, x0: lobby.x1, x1: block.x1 }, core.east, random, frame.gridMm, true))
  }
  beside(plan, row, block)
}

/** Places a cross corridor in line with the lift lobby, in an inner row that does not have the core. */
function placeLink(plan: StoreyPlan, row: Segment, request: PlanRequest): void {
  const { frame } = plan
  const width = Math.max(2, snap(frame, Math.min(frame.corridorMm * 1.2, (row.x1 - row.x0) * 0.2)))
  const link = { ...row, x0: frame.coreCentreMm - Math.floor(width / 2), x1: frame.coreCentreMm + Math.ceil(width / 2) }
  plan.placed.push({ request: room(request.corridor, rectSqm(link)), outline: rectOutline(link) })
  beside(plan, row, link)
}

function placeHall(plan: StoreyPlan, row: Segment, hall: RoomRequest): void {
  const { frame } = plan
  const depthM = (row.y1 - row.y0) / 1000
  const half = snap(frame, Math.min((hall.areaSqm * 500) / depthM, (row.x1 - row.x0) * 0.16))
  const rect = { ...row, x0: frame.coreCentreMm - half, x1: frame.coreCentreMm + half }
  plan.placed.push({ request: hall, outline: rectOutline(rect) })
  beside(plan, row, rect)
}

function beside(plan: StoreyPlan, row: Segment, block: Rect): void {
  plan.segments.push({ ...row, x1: block.x0, outer: 'west' }, { ...row, x0: block.x1, outer: 'east' })
}

function snap({ gridMm }: Frame, lengthMm: number): number {
  return Math.max(gridMm, Math.round(lengthMm / gridMm) * gridMm)
}

/**
 * Assigns each room to the segment with the most free area, the largest room first, and then places all rooms. For a
 * room with windows, segments at a facade are preferred; for a room without windows, segments in an inner row. Elastic
 * rooms come last and take the remaining area, so that they do not displace other rooms from the facade.
 */
export function placeRooms(plan: StoreyPlan, requests: readonly RoomRequest[], random: Random): PlacedRoom[] {
  const loads = plan.segments.map((segment) => ({ segment, requests: [] as RoomRequest[], freeSqm: rectSqm(segment) }))
  const largestFirst = [...requests].sort((a, b) => Number(a.elastic) - Number(b.elastic) || b.areaSqm - a.areaSqm)
  largestFirst.forEach((request, i) => {
    const empty = loads.filter((load) => load.requests.length === 0)
    const open = empty.length >= largestFirst.length - i ? empty : loads
    let best = open[0]!
    for (const load of open) if (suits(load, request) > suits(best, request)) best = load
    best.requests.push(request)
    best.freeSqm -= request.areaSqm
  })
  rebalance(loads)
  return loads.flatMap((load) => fillSegment(load.segment, load.requests, random, plan.frame.gridMm))
}

interface SegmentLoad {
  segment: Segment
  requests: RoomRequest[]
  freeSqm: number
}

/**
 * If a segment has too few rooms and none of them is elastic, its rooms would become too large. Such a segment gets
 * more rooms, from segments whose elastic rooms can fill the area that becomes free.
 */
function rebalance(loads: readonly SegmentLoad[]): void {
  const hasElastic = (load: SegmentLoad) => load.requests.some((request) => request.elastic)
  for (const load of loads.filter((candidate) => !hasElastic(candidate))) {
    while (load.freeSqm > rectSqm(load.segment) * 0.3) {
      const offers = loads
        .filter((other) => other !== load && hasElastic(other))
        .flatMap((other) => other.requests.filter((request) => !request.elastic).map((request) => ({ other, request })))
        .filter(({ request }) => request.areaSqm < load.freeSqm * 1.1)
        .sort((a, b) => fits(load, b.request) - fits(load, a.request) || b.request.areaSqm - a.request.areaSqm)
      const best = offers[0]
      if (!best) break
      best.other.requests.splice(best.other.requests.indexOf(best.request), 1)
      best.other.freeSqm += best.request.areaSqm
      load.requests.push(best.request)
      load.freeSqm -= best.request.areaSqm
    }
  }
}

const fits = ({ segment }: SegmentLoad, request: RoomRequest) => Number((segment.front === 'both') === request.inside)

function suits(load: SegmentLoad, request: RoomRequest): number {
  if (load.freeSqm <= 0) return load.freeSqm
  return fits(load, request) === 1 ? load.freeSqm : load.freeSqm * 0.3
}
