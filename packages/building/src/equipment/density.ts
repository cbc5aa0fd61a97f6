import type { BuildingSpec } from '../building.ts'

/**
 * Points per space of a storey, without plant equipment. The values are well inside the documented ranges.
 */
export const POINTS_PER_SPACE: Record<BuildingSpec['equipmentDensity'], { low: number; high: number }> = {
  sparse: { low: 1.3, high: 1.7 },
  realistic: { low: 4.25, high: 4.75 },
  dense: { low: 9, high: 11 },
}
