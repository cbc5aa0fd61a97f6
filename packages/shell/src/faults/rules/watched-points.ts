import type { FaultRuleRecord, PointNode } from '@storey/sdk'
import { storedName } from '@storey/web'
import type { BuildingModel } from '../../building/model.ts'

export type RuleScope = Pick<
  FaultRuleRecord,
  'pointId' | 'pointName' | 'quantityKind' | 'unit' | 'pointType' | 'elementTypeSlug'
>

/**
 * The points that match every field of a rule. A rule without fields watches nothing. A default rule does not detect
 * faults at those of the points that also match a more specific default rule of its kind.
 */
export function watchedPoints(scope: RuleScope, { points, point, element }: BuildingModel): readonly PointNode[] {
  const { pointId, pointName, quantityKind, unit, pointType, elementTypeSlug } = scope
  const candidates = pointId === null ? points : [point(pointId) ?? []].flat()
  if ([pointId, pointName, quantityKind, unit, pointType, elementTypeSlug].every((value) => value === null)) return []
  return candidates.filter(
    (found) =>
      (pointName === null || storedName(found) === pointName) &&
      (quantityKind === null || found.quantityKind === quantityKind) &&
      (unit === null || found.unit === unit) &&
      (pointType === null || found.pointType === pointType) &&
      (elementTypeSlug === null || element(found.elementId)?.elementTypeSlug === elementTypeSlug),
  )
}
