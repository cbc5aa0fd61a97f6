import type { BuildingSpec } from '../building.ts'

/**
 * For each storey, a number between these bounds is chosen at random: how many points a space has on average. Points of
 * plant equipment do not count. The bounds are inside the ranges that `generate.test.ts` requires of a building: 1 to 2,
 * 4 to 5 and 8 to 12.
 */
export const POINTS_PER_SPACE: Record<BuildingSpec['equipmentDensity'], { low: number; high: number }> = {
  sparse: { low: 1.3, high: 1.7 },
  realistic: { low: 4.6, high: 4.9 },
  dense: { low: 9, high: 11 },
}
