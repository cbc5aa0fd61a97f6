import type { Building, BuildingSpec, Space, Storey } from '../building.ts'
import { randomFor } from '../random/random.ts'
import { equipMeters, equipPlant, equipTransport, type PlantSite } from './plant.ts'
import { createRegister } from './register.ts'
import { equipRooms, type StoreyLoad } from './rooms.ts'

/** Equipment of the whole building. The rooms come first, because the air handlers depend on them. */
export function equip(
  spec: BuildingSpec,
  storeys: readonly Storey[],
  spaces: readonly Space[],
): Pick<Building, 'elements' | 'points'> {
  const register = createRegister(spec.seed)
  const loads = new Map<string, StoreyLoad>()
  for (const storey of storeys) {
    const here = spaces.filter((space) => space.storeyKey === storey.key)
    const random = randomFor(spec.seed, `${storey.key}/equipment`)
    loads.set(storey.key, equipRooms(register, spec, storey, here, random))
  }
  const site: PlantSite = { spec, areaSqm: spec.areaSqm, storeys, spaces, loads }
  equipPlant(register, site)
  equipTransport(register, site)
  equipMeters(register, site)
  return { elements: register.elements, points: register.points }
}
