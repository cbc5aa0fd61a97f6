import type { BuildingSpec, Element, Space, Storey } from '../building.ts'
import type { Random } from '../random/random.ts'
import { POINTS_PER_SPACE } from './density.ts'
import { devicePriorities, isConditioned } from './device-priorities.ts'
import { type DeviceDesign, roomDevices } from './devices.ts'
import { numbered, type Register, storeyPart } from './register.ts'

/** What air handlers must supply on a storey: VAV boxes and rooms. */
export interface StoreyLoad {
  vavs: Element[]
  /** Conditioned rooms that no VAV box supplies. Their air comes directly from the air handler. */
  withoutVav: Space[]
}

/**
 * Equips the rooms of a storey: first VAV boxes by zone, then round by round one more device for each room, until the
 * storey has as many points as the density requires.
 */
export function equipRooms(
  register: Register,
  spec: BuildingSpec,
  storey: Storey,
  spaces: readonly Space[],
  random: Random,
): StoreyLoad {
  const { low, high } = POINTS_PER_SPACE[spec.equipmentDensity]
  let budget = Math.round(spaces.length * random.between(low, high))
  const counts = new Map<string, number>()
  const install = (design: DeviceDesign, space: Space, serves: string[]): Element => {
    const count = (counts.get(design.prefix) ?? 0) + 1
    counts.set(design.prefix, count)
    budget -= design.points.length
    const number = `${storeyPart(storey)}-${numbered(count, spaces.length)}`
    return register.add(design, { storey, spaceKey: space.key, number, serves })
  }

  const vavs: Element[] = []
  const boxed = new Set<string>()
  const zoned = new Set<string>()
  for (const zone of zonesOf(spec, spaces)) {
    const design = spec.equipmentDensity === 'dense' ? roomDevices.vavFull : roomDevices.vav
    // About a third of the points, or more, remain for other devices than VAV boxes.
    if (budget - design.points.length < spaces.length * low * 0.35) continue
    const main = zone[0]!
    vavs.push(
      install(
        design,
        main,
        zone.map((space) => space.key),
      ),
    )
    boxed.add(main.key)
    for (const space of zone) zoned.add(space.key)
  }

  const rounds = random.shuffle(spaces).map((space) => {
    const [first, ...others] = devicePriorities(space, spec.equipmentDensity, boxed.has(space.key))
    // People are mostly in conditioned rooms, so other rooms get their second device one round later.
    return { space, requests: isConditioned(space) ? [first, ...others] : [first, undefined, ...others] }
  })
  for (let round = 0; budget > 0 && rounds.some(({ requests }) => requests.length > round); round++) {
    for (const { space, requests } of rounds) {
      const design = requests[round]
      if (design && design.points.length <= budget) install(design, space, serves(design, space))
    }
  }
  return { vavs, withoutVav: spaces.filter((space) => isConditioned(space) && !zoned.has(space.key)) }
}

/** Lights, fans, meters, split units and UPSs serve their room; sensors and other devices serve nothing. */
function serves({ elementType }: DeviceDesign, space: Space): string[] {
  return /^(lighting|electricity-meter|exhaust-fan|jet-fan|split-unit|ups)$/.test(elementType) ? [space.key] : []
}

/**
 * The rooms of each VAV box; the box whose rooms have the most people comes first. A box serves a conditioned room and
 * up to two more rooms of the same type, each smaller than the mean area. In a dense building a box serves one room,
 * and in a sparse building there are no boxes.
 */
function zonesOf(spec: BuildingSpec, spaces: readonly Space[]): Space[][] {
  if (spec.equipmentDensity === 'sparse') return []
  const maxRooms = spec.equipmentDensity === 'dense' ? 1 : 3
  const zones: Space[][] = []
  let open: Space[] = []
  const ofType = [...spaces]
    .filter(isConditioned)
    .sort((a, b) => (a.spaceType < b.spaceType ? -1 : a.spaceType > b.spaceType ? 1 : 0))
  const meanSqm = ofType.reduce((sum, space) => sum + space.areaSqm, 0) / Math.max(1, ofType.length)
  for (const space of ofType) {
    const fits = open.length < maxRooms && open[0]?.spaceType === space.spaceType && space.areaSqm < meanSqm
    if (fits) open.push(space)
    else {
      open = [space]
      zones.push(open)
    }
  }
  // Rooms with the most people get boxes first, in case the budget does not suffice for all rooms.
  return zones.sort((a, b) => load(b) - load(a))
}

const load = (zone: readonly Space[]) => zone.reduce((sum, space) => sum + space.capacity, 0)
