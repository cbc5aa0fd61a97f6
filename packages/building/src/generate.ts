import type { Building, BuildingSpec, Space, Storey } from './building.ts'
import { equip } from './equipment/equip.ts'
import { type Frame, frameFor } from './geometry/frame.ts'
import { globalId } from './identity.ts'
import { liftCount } from './lifts.ts'
import { placeOf } from './places.ts'
import type { StoreyRole } from './programme/programme.ts'
import { affordableCoreRooms, layOutStorey } from './programme/storey.ts'
import { storeyRoles } from './programme/storey-roles.ts'
import { randomFor } from './random/random.ts'
import { spacesOf } from './spaces.ts'

/** The height from one floor to the next, in metres. */
const STOREY_HEIGHT = { office: 3.8, mall: 5.2, parking: 3 }

/** Generates the geometry first, then the equipment of the rooms, then the plant that supplies this equipment. */
export function generateBuilding(spec: BuildingSpec): Building {
  const frame = frameFor(spec, randomFor(spec.seed, 'frame'))
  const storeys: Storey[] = []
  const spaces: Space[] = []
  const coreRooms = affordableCoreRooms(frame, spec)
  for (const { index, role } of storeyRoles(spec)) {
    const storey = storeyOf(spec, frame, index, role)
    const random = randomFor(spec.seed, storey.key)
    const count = random.int(spec.spacesMin, spec.spacesMax)
    const placed = layOutStorey({ frame, role, spaces: count, coreRooms, lifts: liftCount(spec) }, random)
    storeys.push(storey)
    spaces.push(...spacesOf(spec, storey, placed, random))
  }
  const areaSqm = Math.round(storeys.reduce((sum, storey) => sum + storey.areaSqm, 0) * 100) / 100
  const { elements, points } = equip(spec, storeys, spaces)
  return { spec, ...placeOf(spec, areaSqm), storeys, spaces, elements, points }
}

function storeyOf(spec: BuildingSpec, frame: Frame, index: number, role: StoreyRole): Storey {
  const key = `storey/${index}`
  const width = frame.widthMm / 1000
  const depth = frame.depthMm / 1000
  const height = index < 0 ? STOREY_HEIGHT.parking : STOREY_HEIGHT[spec.buildingType]
  return {
    key,
    globalId: globalId(spec.seed, key),
    code: index < 0 ? `P${-index}` : `L${String(index).padStart(2, '0')}`,
    name:
      index < 0
        ? `Parking ${-index}`
        : index === 0
          ? 'Ground storey'
          : role.isTop
            ? `Storey ${index} (top)`
            : `Storey ${index}`,
    index,
    elevationM: Math.round(index * height * 100) / 100,
    areaSqm: Math.round(frame.widthMm * frame.depthMm) / 1e6,
    plate: [
      [0, 0],
      [width, 0],
      [width, depth],
      [0, depth],
    ],
  }
}
