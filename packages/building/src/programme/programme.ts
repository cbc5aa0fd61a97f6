import type { RoomRequest } from '../geometry/room.ts'
import type { Random } from '../random/random.ts'

/** The use of a storey, which decides its rooms. */
export interface StoreyRole {
  use: 'office' | 'mall' | 'parking'
  isGround: boolean
  isTop: boolean
  /**
   * Whether the storey may have a plant room: in a mall the lowest storey if that is a parking storey, else the top
   * storey; in an office the top storey, and also the lowest storey if that is a parking storey.
   */
  hasPlant: boolean
}

/**
 * The ordinary rooms of a storey: exactly `count`, together about `availableSqm`. Corridors, core, hall and end rooms
 * (`PlanRequest` in `geometry/layout.ts`) are placed separately. `elsewhereSqm` is the area of the end rooms that are
 * open offices.
 */
export type Programme = (
  count: number,
  availableSqm: number,
  role: StoreyRole,
  random: Random,
  elsewhereSqm: number,
) => RoomRequest[]

/** Distributes the remaining area to the elastic rooms, in the ratio of their areas. */
export function shareRest(requests: RoomRequest[], availableSqm: number): RoomRequest[] {
  const fixed = requests.reduce((sum, request) => sum + (request.elastic ? 0 : request.areaSqm), 0)
  const elastic = requests.reduce((sum, request) => sum + (request.elastic ? request.areaSqm : 0), 0)
  if (elastic === 0) return requests
  // Elastic rooms get at least a fifth of the area. If all rooms together exceed the area, they are shrunk later.
  const scale = Math.max(availableSqm - fixed, availableSqm * 0.2) / elastic
  return requests.map((request) => (request.elastic ? { ...request, areaSqm: request.areaSqm * scale } : request))
}
