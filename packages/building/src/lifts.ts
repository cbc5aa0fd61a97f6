import type { BuildingSpec } from './building.ts'

export const SQM_PER_LIFT = 4200

/** One lift per 4,200 square metres, but at least one. A building with a single storey has none. */
export const liftCount = (spec: BuildingSpec): number =>
  spec.storeys === 1 ? 0 : Math.max(1, Math.round(spec.areaSqm / SQM_PER_LIFT))
