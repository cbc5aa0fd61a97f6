import type { Random } from '../seeded/random.ts'
import { carve } from './carve.ts'
import { type Frame, rowsOf } from './frame.ts'
import { type PlacedRoom, type RoomWish, room } from './room.ts'
import { fillSegment, type Segment } from './segment.ts'
import { type Rect, rectOutline, rectSqm } from './shapes.ts'

/** Lifts, stairs and service rooms that stand at the same place on every storey. */
export interface CoreWish {
  west: RoomWish[]
  lobby: RoomWish
  east: RoomWish[]
  /** Where a single deep row has the core, the room behind it. */
  behind: RoomWish | null
}

/** Where everything of a storey but its ordinary rooms lies. */
export interface StoreyPlan {
  frame: Frame
  placed: PlacedRoom[]
  segments: Segment[]
}

export interface PlanWish {
  /** Space type of the corridors. */
  corridor: string
  core: CoreWish | null
  /** A hall from the south front to the first corridor. */
  hall: RoomWish | null
  /** Rooms over the whole depth of the plate at its west and east end. */
  ends: [RoomWish, RoomWish] | null
}

/** Lays corridors, core, hall and end rooms; what stays free are segments, each with a corridor in front. */
export function planStorey(frame: Frame, wish: PlanWish, random: Random): StoreyPlan {
  const rows = rowsOf(frame)
  const { widthMm, depthMm, corridors } = frame
  const plan: StoreyPlan = { frame, placed: [], segments: [] }
  const endMm = (end: RoomWish) => snap(frame, Math.min((end.areaSqm * 1e6) / depthMm, widthMm * 0.3))
  const x0 = wish.ends ? endMm(wish.ends[0]) : 0
  const x1 = wish.ends ? widthMm - endMm(wish.ends[1]) : widthMm
  if (wish.ends) {
    plan.placed.push({ wish: wish.ends[0], outline: rectOutline({ x0: 0, y0: 0, x1: x0, y1: depthMm }) })
    plan.placed.push({ wish: wish.ends[1], outline: rectOutline({ x0: x1, y0: 0, x1: widthMm, y1: depthMm }) })
  }
  for (let i = 0; i < corridors; i++) {
    const rect = { x0, x1, y0: rows[i]!.y1, y1: rows[i + 1]!.y0 }
    plan.placed.push({ wish: room(wish.corridor, rectSqm(rect)), outline: rectOutline(rect) })
  }

  const coreRow = coreRowOf(corridors)
  rows.forEach((row, i) => {
    const whole: Segment = { x0, x1, ...row, front: frontOf(i, corridors), outer: 'both' }
    if (i === coreRow && wish.core) placeCore(plan, whole, wish.core, random)
    else if (i > 0 && i < corridors) placeLink(plan, whole, wish)
    else if (i === 0 && wish.hall) placeHall(plan, whole, wish.hall)
    else plan.segments.push(whole)
  })
  return plan
}

/** The row inside the plate that holds the core; with one corridor, the row behind it. */
const coreRowOf = (corridors: number) => Math.max(1, Math.ceil(corridors / 2))

const frontOf = (row: number, corridors: number) => (row === 0 ? 'north' : row === corridors ? 'south' : 'both')

/** Segments a plan leaves: each wants at least one room. */
export function segmentCount(corridors: number, hasCore: boolean, hasHall: boolean): number {
  const splitByCore = corridors === 1 && hasCore ? 1 : 0
  return 2 * corridors + splitByCore + (hasHall ? 1 : 0)
}

function placeCore(plan: StoreyPlan, row: Segment, core: CoreWish, random: Random): void {
  const { frame } = plan
  const depthM = (row.y1 - row.y0) / 1000
  const length = row.x1 - row.x0
  const sum = (wishes: readonly RoomWish[]) => wishes.reduce((total, wish) => total + wish.areaSqm, 0)
  const mm = (areaSqm: number, most: number) => snap(frame, Math.min((areaSqm * 1000) / depthM, most))

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
  plan.placed.push({ wish: core.lobby, outline: rectOutline(lobby) })
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

/** A cross corridor in an inner row without the core, in line with the lift lobby. */
function placeLink(plan: StoreyPlan, row: Segment, wish: PlanWish): void {
  const { frame } = plan
  const width = Math.max(2, snap(frame, Math.min(frame.corridorMm * 1.2, (row.x1 - row.x0) * 0.2)))
  const link = { ...row, x0: frame.coreCentreMm - Math.floor(width / 2), x1: frame.coreCentreMm + Math.ceil(width / 2) }
  plan.placed.push({ wish: room(wish.corridor, rectSqm(link)), outline: rectOutline(link) })
  beside(plan, row, link)
}

function placeHall(plan: StoreyPlan, row: Segment, hall: RoomWish): void {
  const { frame } = plan
  const depthM = (row.y1 - row.y0) / 1000
  const half = snap(frame, Math.min((hall.areaSqm * 500) / depthM, (row.x1 - row.x0) * 0.16))
  const rect = { ...row, x0: frame.coreCentreMm - half, x1: frame.coreCentreMm + half }
  plan.placed.push({ wish: hall, outline: rectOutline(rect) })
  beside(plan, row, rect)
}

function beside(plan: StoreyPlan, row: Segment, block: Rect): void {
  plan.segments.push({ ...row, x1: block.x0, outer: 'west' }, { ...row, x0: block.x1, outer: 'east' })
}

function snap({ gridMm }: Frame, lengthMm: number): number {
  return Math.max(gridMm, Math.round(lengthMm / gridMm) * gridMm)
}

/**
 * Deals the rooms to the segments, largest first to where most is free, and places them. Elastic rooms come last: they
 * take what the others leave, instead of driving them from the facade.
 */
export function placeRooms(plan: StoreyPlan, wishes: readonly RoomWish[], random: Random): PlacedRoom[] {
  const loads = plan.segments.map((segment) => ({ segment, wishes: [] as RoomWish[], freeSqm: rectSqm(segment) }))
  const largestFirst = [...wishes].sort((a, b) => Number(a.elastic) - Number(b.elastic) || b.areaSqm - a.areaSqm)
  largestFirst.forEach((wish, i) => {
    const empty = loads.filter((load) => load.wishes.length === 0)
    const open = empty.length >= largestFirst.length - i ? empty : loads
    let best = open[0]!
    for (const load of open) if (suits(load, wish) > suits(best, wish)) best = load
    best.wishes.push(wish)
    best.freeSqm -= wish.areaSqm
  })
  relieve(loads)
  return loads.flatMap((load) => fillSegment(load.segment, load.wishes, random, plan.frame.gridMm))
}

interface SegmentLoad {
  segment: Segment
  wishes: RoomWish[]
  freeSqm: number
}

/**
 * A segment without an elastic room would blow up its few rooms to fill itself: it gets more of them from segments whose
 * elastic rooms can make up for the loss.
 */
function relieve(loads: readonly SegmentLoad[]): void {
  const hasElastic = (load: SegmentLoad) => load.wishes.some((wish) => wish.elastic)
  for (const load of loads.filter((candidate) => !hasElastic(candidate))) {
    while (load.freeSqm > rectSqm(load.segment) * 0.3) {
      const offers = loads
        .filter((other) => other !== load && hasElastic(other))
        .flatMap((other) => other.wishes.filter((wish) => !wish.elastic).map((wish) => ({ other, wish })))
        .filter(({ wish }) => wish.areaSqm < load.freeSqm * 1.1)
        .sort((a, b) => fits(load, b.wish) - fits(load, a.wish) || b.wish.areaSqm - a.wish.areaSqm)
      const best = offers[0]
      if (!best) break
      best.other.wishes.splice(best.other.wishes.indexOf(best.wish), 1)
      best.other.freeSqm += best.wish.areaSqm
      load.wishes.push(best.wish)
      load.freeSqm -= best.wish.areaSqm
    }
  }
}

const fits = ({ segment }: SegmentLoad, wish: RoomWish) => Number((segment.front === 'both') === wish.inside)

function suits(load: SegmentLoad, wish: RoomWish): number {
  if (load.freeSqm <= 0) return load.freeSqm
  return fits(load, wish) === 1 ? load.freeSqm : load.freeSqm * 0.3
}
