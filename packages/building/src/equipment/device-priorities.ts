import type { BuildingSpec, Space } from '../building.ts'
import { type DeviceDesign, roomDevices as d } from './devices.ts'

/** The use of a room, which decides its equipment. */
export type RoomClass =
  | 'work'
  | 'gathering'
  | 'retail'
  | 'common'
  | 'circulation'
  | 'wet'
  | 'technical'
  | 'parking'
  | 'storage'

const CLASSES: Record<string, RoomClass> = {
  'open-office': 'work',
  'private-office': 'work',
  'shared-office': 'work',
  'management-office': 'work',
  'security-room': 'work',
  'meeting-room': 'gathering',
  'phone-booth': 'gathering',
  'training-room': 'gathering',
  auditorium: 'gathering',
  cafeteria: 'gathering',
  'break-room': 'gathering',
  kitchen: 'gathering',
  reception: 'gathering',
  lobby: 'common',
  'food-court': 'common',
  concourse: 'common',
  atrium: 'common',
  shop: 'retail',
  'anchor-store': 'retail',
  restaurant: 'retail',
  corridor: 'circulation',
  'lift-lobby': 'circulation',
  stair: 'circulation',
  toilet: 'wet',
  'cleaning-room': 'wet',
  'plant-room': 'technical',
  'electrical-room': 'technical',
  'telecom-room': 'technical',
  'server-room': 'technical',
  shaft: 'technical',
  parking: 'parking',
  'parking-aisle': 'parking',
  ramp: 'parking',
}

export const roomClass = (space: Space): RoomClass => CLASSES[space.spaceType] ?? 'storage'

/** Whether an air handler supplies the room. */
export const isConditioned = (space: Space): boolean =>
  ['work', 'gathering', 'retail', 'common'].includes(roomClass(space))

const COMFORT = [
  d.temperature,
  d.co2,
  d.occupancy,
  d.lighting,
  d.humidity,
  d.smoke,
  d.light,
  d.airQuality,
  d.meterFull,
  d.peopleCounter,
]
/**
 * The devices of each room class, the most important first. The number of points that a storey should have decides how
 * many devices of a list are installed. The devices of a list have at least twelve points together, since a dense
 * storey needs up to eleven points per space, and all its rooms can be of the same class.
 */
const LISTS: Record<RoomClass, readonly DeviceDesign[]> = {
  work: COMFORT,
  gathering: COMFORT,
  retail: [
    d.temperature,
    d.meter,
    d.occupancy,
    d.co2,
    d.lighting,
    d.smoke,
    d.peopleCounter,
    d.humidity,
    d.light,
    d.airQuality,
    d.door,
  ],
  common: [
    d.temperature,
    d.peopleCounter,
    d.co2,
    d.lighting,
    d.smoke,
    d.humidity,
    d.light,
    d.airQuality,
    d.door,
    d.occupancy,
  ],
  circulation: [
    d.lightingSwitch,
    d.smoke,
    d.temperature,
    d.occupancy,
    d.door,
    d.light,
    d.humidity,
    d.peopleCounter,
    d.co2,
    d.airQuality,
    d.meterFull,
  ],
  wet: [
    d.exhaustFan,
    d.occupancy,
    d.leak,
    d.lightingSwitch,
    d.temperature,
    d.humidity,
    d.smoke,
    d.door,
    d.peopleCounter,
    d.airQuality,
    d.light,
  ],
  technical: [
    d.temperature,
    d.smoke,
    d.door,
    d.leak,
    d.splitUnit,
    d.humidity,
    d.ups,
    d.lightingSwitch,
    d.occupancy,
    d.meterFull,
  ],
  parking: [
    d.co,
    d.lighting,
    d.peopleCounter,
    d.jetFan,
    d.smoke,
    d.charger,
    d.temperature,
    d.light,
    d.humidity,
    d.leak,
    d.door,
  ],
  storage: [
    d.temperature,
    d.smoke,
    d.lightingSwitch,
    d.occupancy,
    d.door,
    d.humidity,
    d.leak,
    d.light,
    d.meterFull,
    d.airQuality,
    d.co2,
  ],
}

/**
 * The devices that a room can get, the most important first. Unless the building is sparse, a conditioned room has a
 * thermostat instead of a temperature sensor. If the room has its own VAV box, the box measures the temperature, and
 * the thermostat has only a setpoint; in a dense building the box has the setpoints too, and there is no thermostat.
 */
export function devicePriorities(
  space: Space,
  density: BuildingSpec['equipmentDensity'],
  hasOwnVav: boolean,
): DeviceDesign[] {
  const list = LISTS[roomClass(space)]
  if (hasOwnVav && density === 'dense') return list.filter((design) => design !== d.temperature)
  if (density === 'sparse' || !isConditioned(space)) return [...list]
  const thermostat = hasOwnVav ? d.setpointDial : d.thermostat
  return list.map((design) => (design === d.temperature ? thermostat : design))
}
