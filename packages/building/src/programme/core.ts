import type { Frame } from '../geometry/frame.ts'
import type { CoreRequest } from '../geometry/layout.ts'
import { type RoomRequest, room } from '../geometry/room.ts'

/** Rooms of a core, west or east of the lift lobby, in the order in which larger buildings add them. */
const CORE_ROOMS = [
  { side: 'west', type: 'stair', sqm: 17, label: 'Stair A' },
  { side: 'east', type: 'toilet', sqm: 18, label: 'Toilets women' },
  { side: 'west', type: 'toilet', sqm: 16, label: 'Toilets men' },
  { side: 'east', type: 'stair', sqm: 17, label: 'Stair B' },
  { side: 'west', type: 'shaft', sqm: 6, label: 'Service shaft' },
  { side: 'east', type: 'electrical-room', sqm: 8, label: 'Electrical riser' },
] as const

export const FULL_CORE = CORE_ROOMS.length

/** A core with this number of rooms beside its lift lobby. The rooms are scaled to the depth of their row. */
export function coreRequest(
  rooms: number,
  lifts: number,
  isParking: boolean,
  frame: Frame,
  rowDepthM: number,
): CoreRequest {
  const scale = Math.max(1, (rowDepthM * rowDepthM) / 6 / 17)
  const chosen = CORE_ROOMS.slice(0, rooms)
  const lobby = room('lift-lobby', Math.max(12 + 4 * Math.min(lifts, 8), rowDepthM * Math.max(2.4, rowDepthM * 0.16)), {
    label: 'Lift lobby',
  })
  // In a deep row, rooms that take its whole depth would be too narrow. So the rooms take only a part of the depth, and
  // a storage room is behind them.
  const isDeep = frame.corridors === 1 && rowDepthM > 8
  const depthScale = isDeep ? Math.max(1, rowDepthM / 14) : scale
  const requests = (side: 'west' | 'east'): RoomRequest[] =>
    chosen
      .filter((candidate) => candidate.side === side)
      .map(({ type, sqm, label }) => {
        // Parking storeys have a storage room in place of toilets.
        if (type === 'toilet' && isParking) return room('storage', sqm * depthScale)
        return room(type, sqm * depthScale, { label: type === 'toilet' && rooms < 3 ? 'Toilets' : label })
      })
  const west = requests('west')
  const east = requests('east')
  const front = [...west, ...east].reduce((sum, request) => sum + request.areaSqm, lobby.areaSqm)
  return { west, lobby, east, behind: isDeep ? room('storage', front * 1.1, { label: 'Back of house' }) : null }
}
