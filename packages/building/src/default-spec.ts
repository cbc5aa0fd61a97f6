import { LIMITS } from '@storey/contract/limits'
import type { BuildingSpec } from './building.ts'

/** Gross area per space, for the default area of a building. */
const SQM_PER_SPACE = { office: 35, mall: 150 }

/**
 * Fills in the defaults of a request. If only one bound of the number of spaces is given, the default of the other one
 * is adjusted to it.
 */
export function resolveSpec(input: Partial<BuildingSpec> & { seed: string }): BuildingSpec {
  const { spaces, storeys: storeyLimits } = LIMITS.sandbox
  const buildingType = input.buildingType ?? 'office'
  const storeys = input.storeys ?? storeyLimits.default
  const spacesMin = input.spacesMin ?? Math.min(spaces.defaultMin, input.spacesMax ?? spaces.defaultMin)
  const spacesMax = input.spacesMax ?? Math.max(spaces.defaultMax, spacesMin)
  if (spacesMin > spacesMax) throw new RangeError('spacesMin is greater than spacesMax')
  return {
    buildingType,
    storeys,
    areaSqm: input.areaSqm ?? Math.round((storeys * (spacesMin + spacesMax) * SQM_PER_SPACE[buildingType]) / 2),
    spacesMin,
    spacesMax,
    equipmentDensity: input.equipmentDensity ?? 'realistic',
    occupancyProfile: input.occupancyProfile ?? (buildingType === 'office' ? 'office-hours' : 'peak-evenings'),
    seed: input.seed,
  }
}
