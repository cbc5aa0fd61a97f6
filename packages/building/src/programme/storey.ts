import type { BuildingSpec } from '../building.ts'
import { type Frame, refitted, rowsOf } from '../geometry/frame.ts'
import { type CoreRequest, type PlanRequest, placeRooms, planStorey, segmentCount } from '../geometry/layout.ts'
import { type PlacedRoom, type RoomRequest, room } from '../geometry/room.ts'
import { cut, rectOutline, rectSqm } from '../geometry/shapes.ts'
import type { Random } from '../random/random.ts'
import { coreRequest, FULL_CORE } from './core.ts'
import { mallRooms } from './mall.ts'
import { officeRooms } from './office.ts'
import { parkingRooms } from './parking.ts'
import type { Programme, StoreyRole } from './programme.ts'

const PROGRAMMES: Record<StoreyRole['use'], Programme> = {
  office: officeRooms,
  mall: mallRooms,
  parking: parkingRooms,
}
const CORRIDORS = { office: 'corridor', mall: 'concourse', parking: 'parking-aisle' }
/** The space type of the only room of a storey, or of the larger room if the storey has two. */
const WHOLE = { office: 'open-office', mall: 'anchor-store', parking: 'parking' }
/** The share of the anchor stores in the leasable area of a mall storey. In real malls it is 50 to 70 percent. */
const ANCHOR_SHARE = 0.57

export interface StoreyRequest {
  frame: Frame
  role: StoreyRole
  spaces: number
  /** The number of core rooms that fit on every storey that has all corridors of the frame. */
  coreRooms: number
  lifts: number
}

/** Lays out a storey with exactly the requested number of spaces. */
export function layOutStorey(request: StoreyRequest, random: Random): PlacedRoom[] {
  const { frame, role, spaces } = request
  const plate = { x0: 0, y0: 0, x1: frame.widthMm, y1: frame.depthMm }
  if (spaces === 1) return [{ request: room(WHOLE[role.use], rectSqm(plate)), outline: rectOutline(plate) }]
  if (spaces === 2) {
    const [, wall] = cut(0, frame.widthMm, [1, 4], frame.gridMm)
    return [
      { request: room(role.use === 'parking' ? 'ramp' : 'lobby', 1), outline: rectOutline({ ...plate, x1: wall! }) },
      { request: room(WHOLE[role.use], 1), outline: rectOutline({ ...plate, x0: wall! }) },
    ]
  }
  const shrink = shrinkOf(request)
  const { fitted, planRequest, rooms } = compose(request, shrink, random)
  const plan = planStorey(fitted, planRequest, random)
  const availableSqm = plan.segments.reduce((sum, segment) => sum + rectSqm(segment), 0)
  const programme = planRequest.core ? PROGRAMMES[role.use] : withStairAndToilet
  const elsewhereSqm =
    planRequest.ends?.reduce((sum, end) => sum + (end.type === 'open-office' ? end.areaSqm : 0), 0) ?? 0
  const requests = programme(rooms, availableSqm / shrink, role, random, elsewhereSqm / shrink)
  return [...plan.placed, ...placeRooms(plan, scaled(requests, shrink), random)]
}

/**
 * On a storey that is too small for rooms of the usual sizes, the areas of its core rooms and ordinary rooms are
 * multiplied by this factor, so that no room has an area of zero. The sizes of halls and end rooms depend on the plate.
 */
function shrinkOf({ frame, spaces }: StoreyRequest): number {
  return Math.min(1, (frame.widthMm * frame.depthMm) / 1e6 / (spaces * 10))
}

const scaled = (requests: readonly RoomRequest[], by: number) =>
  requests.map((request) => ({ ...request, areaSqm: request.areaSqm * by }))

/**
 * Chooses corridors, core, hall and end rooms. Each of the segments that `planStorey` leaves beside the corridors needs
 * at least one of the remaining rooms.
 */
function compose(
  request: StoreyRequest,
  shrink: number,
  random: Random,
): { fitted: Frame; planRequest: PlanRequest; rooms: number } {
  const { role, spaces } = request
  const aisleMm = role.use === 'parking' ? 6000 : request.frame.corridorMm
  for (let corridors = request.frame.corridors; corridors >= 1; corridors--) {
    const fitted = refitted(request.frame, corridors, aisleMm)
    const core = coreOf(request, fitted, shrink)
    const circulation = corridors + Math.max(corridors - 1, 1)
    const fixed = circulation + core.west.length + core.east.length + (core.behind ? 1 : 0)
    let rooms = spaces - fixed
    if (rooms < segmentCount(corridors, true, false)) continue
    const hasEnds = role.use !== 'parking' && rooms - 2 >= segmentCount(corridors, true, false)
    if (hasEnds) rooms -= 2
    const wantsHall = role.use === 'mall' || (role.use === 'office' && role.isGround)
    const hasHall = wantsHall && rooms - 1 >= segmentCount(corridors, true, true)
    if (hasHall) rooms -= 1
    const hall = hasHall ? hallOf(role, fitted) : null
    const taken = [...core.west, core.lobby, ...core.east].reduce(
      (sum, { areaSqm }) => sum + areaSqm,
      hall?.areaSqm ?? 0,
    )
    const ends = hasEnds ? endsOf(role, fitted, taken, random) : null
    return { fitted, planRequest: { corridor: CORRIDORS[role.use], core, hall, ends }, rooms }
  }
  const fitted = refitted(request.frame, 1, aisleMm)
  const ends = role.use === 'mall' && spaces >= 5 ? endsOf(role, fitted, 0, random) : null
  return {
    fitted,
    planRequest: { corridor: CORRIDORS[role.use], core: null, hall: null, ends },
    rooms: spaces - (ends ? 3 : 1),
  }
}

/** A core with `coreRooms` rooms if the storey has all corridors of the frame, else the smallest core. */
function coreOf({ frame, role, coreRooms, lifts }: StoreyRequest, fitted: Frame, shrink: number): CoreRequest {
  const row = rowsOf(fitted)[Math.max(1, Math.ceil(fitted.corridors / 2))]!
  const rooms = fitted.corridors === frame.corridors ? coreRooms : 2
  const usualDepthM = (row.y1 - row.y0) / 1000 / Math.sqrt(shrink)
  const { west, lobby, east, behind } = coreRequest(rooms, lifts, role.use === 'parking', fitted, usualDepthM)
  const one = (request: RoomRequest) => ({ ...request, areaSqm: request.areaSqm * shrink })
  return { west: west.map(one), lobby: one(lobby), east: east.map(one), behind: behind && one(behind) }
}

function hallOf(role: StoreyRole, frame: Frame): RoomRequest {
  const plateSqm = (frame.widthMm * frame.depthMm) / 1e6
  return role.use === 'mall'
    ? room('atrium', plateSqm * 0.06)
    : room('lobby', plateSqm * 0.08, { label: 'Entrance lobby' })
}

function endsOf(role: StoreyRole, frame: Frame, takenSqm: number, random: Random): [RoomRequest, RoomRequest] {
  const width = frame.widthMm / 1000
  const depth = frame.depthMm / 1000
  const rowsDepth = depth - (frame.corridors * frame.corridorMm) / 1000
  if (role.use === 'mall') {
    // The two anchor stores of width e have the share ANCHOR_SHARE if 2·e·depth = ratio · (area of the rows between
    // them − area not leased). This is solved for e.
    const ratio = ANCHOR_SHARE / (1 - ANCHOR_SHARE)
    const notLeased = takenSqm * 1.6 + width * rowsDepth * 0.05
    const end = (ratio * (width * rowsDepth - notLeased)) / (2 * (depth + ratio * rowsDepth))
    const area = Math.max(end, width * 0.08) * depth
    return [room('anchor-store', area, { label: 'west' }), room('anchor-store', area, { label: 'east' })]
  }
  const end =
    Math.min(Math.max(width * random.between(0.13, 0.18), rowsDepth / (frame.corridors + 1)), width * 0.19) * depth
  const west = role.hasPlant ? 'plant-room' : role.isGround ? 'cafeteria' : 'open-office'
  const east = !role.isGround && random.chance(0.15) ? 'training-room' : 'open-office'
  return [room(west, end), room(east, end)]
}

/**
 * The ordinary rooms (all rooms except corridors and end rooms) of a storey that has too few spaces for a core. Of
 * three or more ordinary rooms one is a stair. Of four or more another one is a toilet, except on a parking storey.
 */
const withStairAndToilet: Programme = (count, availableSqm, role, random, elsewhereSqm) => {
  const extras: RoomRequest[] = []
  const minSqm = availableSqm * 0.06
  if (count >= 3) extras.push(room('stair', Math.max(15, minSqm), { label: 'Stair A', rank: 0 }))
  if (count >= 4 && role.use !== 'parking')
    extras.push(room('toilet', Math.max(10, minSqm), { label: 'Toilets', rank: 0 }))
  const taken = extras.reduce((sum, request) => sum + request.areaSqm, 0)
  const rest = Math.max(availableSqm - taken, availableSqm * 0.5)
  return [...extras, ...PROGRAMMES[role.use](count - extras.length, rest, role, random, elsewhereSqm)]
}

/** The number of core rooms: at least two, and otherwise as many as the size of the plate and the other rooms allow. */
export function affordableCoreRooms(frame: Frame, { spacesMin, spacesMax, buildingType }: BuildingSpec): number {
  // In a mall, two of the spaces are anchor stores.
  const spaces = Math.max(spacesMin, (spacesMin + spacesMax) * 0.225) - (buildingType === 'mall' ? 2 : 0)
  const { corridors } = frame
  const spare = spaces - corridors - Math.max(corridors - 1, 1) - segmentCount(corridors, true, false)
  // The size of the core depends on the size of the plate.
  const storeySqm = (frame.widthMm * frame.depthMm) / 1e6
  const max = Math.min(FULL_CORE, Math.max(2, Math.floor(storeySqm / 150)))
  return Math.min(max, Math.max(2, Math.floor(corridors === 1 ? spare - 1 : spare)))
}
