import type { BuildingSpec } from '../building.ts'
import type { StoreyRole } from './programme.ts'

/** The number of storeys below ground. `storeys` includes them. A low building has none. */
export function parkingStoreys({ buildingType, storeys }: BuildingSpec): number {
  if (buildingType === 'mall') return storeys < 3 ? 0 : Math.min(4, Math.floor((storeys + 1) / 3))
  return storeys < 7 ? 0 : Math.min(3, Math.floor(storeys / 7))
}

/** The use of each storey, from the lowest up. */
export function storeyRoles(spec: BuildingSpec): { index: number; role: StoreyRole }[] {
  const below = parkingStoreys(spec)
  const top = spec.storeys - below - 1
  return Array.from({ length: spec.storeys }, (_, i) => {
    const index = i - below
    const isTop = index === top
    const isLowest = i === 0
    const hasPlant = spec.buildingType === 'office' ? isTop || (below > 0 && isLowest) : below > 0 ? isLowest : isTop
    return {
      index,
      role: { use: index < 0 ? 'parking' : spec.buildingType, isGround: index === 0, isTop, hasPlant },
    }
  })
}
