import type { BuildingSpec, Element, Space, Storey } from '../building.ts'
import { liftCount } from '../lifts.ts'
import { type DeviceDesign, plantDevices } from './devices.ts'
import { numbered, type Register } from './register.ts'
import type { StoreyLoad } from './rooms.ts'

const VAVS_PER_AHU = 49
/** The number of rooms that an air handler supplies where there are no VAV boxes. */
const ROOMS_PER_AHU = 60
const COOLING_KW_PER_SQM = 0.09
const HEATING_KW_PER_SQM = 0.06
/** Smaller buildings have a heat pump instead of chillers and boilers. */
const MIN_SQM_FOR_CHILLERS = 500

export interface PlantSite {
  spec: BuildingSpec
  areaSqm: number
  storeys: readonly Storey[]
  spaces: readonly Space[]
  loads: ReadonlyMap<string, StoreyLoad>
}

/**
 * Adds the air handlers, the machines that supply them, a gas meter if there are boilers, and then the water meter, the
 * weather station, the fire panel and the controller.
 */
export function equipPlant(register: Register, site: PlantSite): void {
  const ahus = airHandlers(register, site)
  const { areaSqm, storeys } = site
  const top = storeys.at(-1)!
  const add = (design: DeviceDesign, count: number, serves: string[]): Element[] =>
    Array.from({ length: count }, (_, i) =>
      register.add(design, {
        storey: plantStorey(site),
        spaceKey: plantRoom(site),
        number: numbered(i + 1, count),
        serves,
      }),
    )
  const ahuKeys = ahus.map((ahu) => ahu.key)

  if (areaSqm < MIN_SQM_FOR_CHILLERS) {
    register.add(plantDevices.heatPump, { storey: top, spaceKey: null, number: '01', serves: ahuKeys })
  } else {
    const chillers = machines(areaSqm * COOLING_KW_PER_SQM, 900, 12)
    const boilers = machines(areaSqm * HEATING_KW_PER_SQM, 800, 8)
    const chilledPumps = add(plantDevices.chilledWaterPump, chillers + 1, ahuKeys)
    const hotPumps = add(plantDevices.hotWaterPump, boilers + 1, ahuKeys)
    const cold = add(
      plantDevices.chiller,
      chillers,
      chilledPumps.map((pump) => pump.key),
    )
    add(
      plantDevices.boiler,
      boilers,
      hotPumps.map((pump) => pump.key),
    )
    for (let i = 0; i < chillers; i++) {
      register.add(plantDevices.coolingTower, {
        storey: top,
        spaceKey: null,
        number: numbered(i + 1, chillers),
        serves: [cold[i]!.key],
      })
    }
    register.add(plantDevices.gasMeter, mainsEntry(site))
  }
  register.add(plantDevices.waterMeter, mainsEntry(site))
  register.add(plantDevices.weather, { storey: top, spaceKey: null, number: '01' })
  register.add(plantDevices.firePanel, { storey: ground(site), spaceKey: null, number: '01' })
  register.add(plantDevices.controller, {
    storey: plantStorey(site),
    spaceKey: plantRoom(site),
    number: '01',
    serves: ahuKeys,
  })
}

/** The number of machines of a usual size that a load needs: at least one, and no more than fit into a plant room. */
const machines = (loadKw: number, capacityKw: number, max: number) =>
  Math.min(max, Math.max(1, Math.ceil(loadKw / capacityKw)))

/**
 * Divides the VAV boxes, and the rooms that no box supplies, among the air handlers in the order of the storeys. So the
 * boxes of a handler are on one storey or on adjacent ones.
 */
function airHandlers(register: Register, site: PlantSite): Element[] {
  const boxes: string[] = []
  const rooms: string[] = []
  for (const storey of site.storeys) {
    const load = site.loads.get(storey.key)
    if (!load) continue
    boxes.push(...load.vavs.map((vav) => vav.key))
    rooms.push(...load.withoutVav.map((space) => space.key))
  }
  const count = Math.max(1, Math.ceil(boxes.length / VAVS_PER_AHU + rooms.length / ROOMS_PER_AHU))
  return Array.from({ length: count }, (_, i) =>
    register.add(plantDevices.ahu, {
      storey: plantStorey(site),
      spaceKey: plantRoom(site),
      number: numbered(i + 1, count),
      serves: [...partOf(boxes, i, count), ...partOf(rooms, i, count)],
    }),
  )
}

const partOf = (keys: readonly string[], part: number, parts: number) =>
  keys.slice(Math.round((keys.length * part) / parts), Math.round((keys.length * (part + 1)) / parts))

export const POINTS_PER_LIFT = plantDevices.lift.points.length

/**
 * Adds the lifts, whose number depends on the area of the building, and in a mall a pair of escalators from each retail
 * storey to the next.
 */
export function equipTransport(register: Register, site: PlantSite): void {
  const { spec, storeys, spaces } = site
  const lifts = liftCount(spec)
  const landings = storeys.flatMap((storey) => landing(storey, spaces)?.key ?? [])
  const base = ground(site)
  for (let i = 1; i <= lifts; i++) {
    const spaceKey = landing(base, spaces)?.key ?? null
    register.add(plantDevices.lift, { storey: base, spaceKey, number: numbered(i, lifts), serves: landings })
  }
  if (spec.buildingType !== 'mall') return
  const retail = storeys.filter((storey) => storey.index >= 0)
  retail.slice(0, -1).forEach((storey, i) => {
    const foot = spaces.find(
      (space) => space.storeyKey === storey.key && ['atrium', 'concourse'].includes(space.spaceType),
    )
    const total = (retail.length - 1) * 2
    for (const side of [1, 2]) {
      register.add(plantDevices.escalator, {
        storey,
        spaceKey: foot?.key ?? null,
        number: numbered(i * 2 + side, total),
      })
    }
  })
}

const landing = (storey: Storey, spaces: readonly Space[]) => {
  const here = spaces.filter((space) => space.storeyKey === storey.key)
  return ['lift-lobby', 'stair', 'corridor', 'concourse', 'parking-aisle', 'lobby']
    .map((type) => here.find((space) => space.spaceType === type))
    .find((space) => space !== undefined)
}

/** Adds the main electricity meter, and a submeter for each storey. Some rooms have submeters of their own. */
export function equipMeters(register: Register, site: PlantSite): void {
  const storeyMeters = site.storeys.map((storey) => {
    const spaceKey = inStorey(site, storey, ['electrical-room', 'shaft', 'plant-room'])
    const serves = site.spaces.filter((space) => space.storeyKey === storey.key).map((space) => space.key)
    return register.add(plantDevices.storeyMeter, { storey, spaceKey, number: storey.code, serves })
  })
  register.add(plantDevices.mainMeter, {
    storey: site.storeys[0]!,
    spaceKey: inStorey(site, site.storeys[0]!, ['electrical-room', 'plant-room']),
    number: '',
    serves: storeyMeters.map((meter) => meter.key),
  })
}

const inStorey = ({ spaces }: PlantSite, storey: Storey, types: string[]): string | null =>
  spaces.find((space) => space.storeyKey === storey.key && types.includes(space.spaceType))?.key ?? null

const ground = ({ storeys }: PlantSite): Storey => storeys.find((storey) => storey.index === 0)!

const plantRoomSpace = ({ spaces }: PlantSite) => spaces.find((space) => space.spaceType === 'plant-room')
const plantRoom = (site: PlantSite): string | null => plantRoomSpace(site)?.key ?? null
/** The place of the gas and water meters: on the lowest storey, in the plant room if that storey has it. */
const mainsEntry = (site: PlantSite) => {
  const storey = site.storeys[0]!
  return { storey, spaceKey: plantStorey(site) === storey ? plantRoom(site) : null, number: '' }
}
const plantStorey = (site: PlantSite): Storey => {
  const room = plantRoomSpace(site)
  return site.storeys.find((storey) => storey.key === room?.storeyKey) ?? site.storeys.at(-1)!
}
