import type { ElementNode, FaultRuleRecord, PointNode } from '@storey/sdk'
import { storedName } from '@storey/web'

type Rule = Pick<FaultRuleRecord, 'pointId' | 'pointName' | 'quantityKind' | 'unit' | 'pointType' | 'elementTypeSlug'> &
  Pick<FaultRuleRecord, 'above' | 'below'>
type Point = Pick<PointNode, 'id' | 'name' | 'quantityKind' | 'unit' | 'pointType'>

/** The bounds of the rules that match a point. A field of a rule matches every point if it is null. */
export function boundsFor(
  rules: readonly Rule[],
  point: Point,
  element: Pick<ElementNode, 'elementTypeSlug'> | undefined,
): number[] {
  const matches = (rule: Rule) =>
    (rule.pointId ?? point.id) === point.id &&
    (rule.pointName ?? storedName(point)) === storedName(point) &&
    (rule.quantityKind ?? point.quantityKind) === point.quantityKind &&
    (rule.unit ?? point.unit) === point.unit &&
    (rule.pointType ?? point.pointType) === point.pointType &&
    (rule.elementTypeSlug ?? element?.elementTypeSlug) === element?.elementTypeSlug
  return rules
    .filter(matches)
    .flatMap(({ above, below }) => [above, below])
    .filter((bound) => bound !== null)
}
