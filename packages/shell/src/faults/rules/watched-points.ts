import { FAULT_RULE_SCOPE } from '@storey/contract'
import type { FaultRuleRecord, PointNode } from '@storey/sdk'
import { storedName } from '@storey/web'
import type { BuildingModel } from '../../building/model.ts'

export type RuleScope = Pick<FaultRuleRecord, (typeof FAULT_RULE_SCOPE)[number]>

/** The fields of a rule that determine which points it watches. */
export type WatchingRule = RuleScope & Pick<FaultRuleRecord, 'id' | 'kind' | 'isDefault'>

/**
 * The points at which a rule detects faults: those that match every field of the rule. A default rule does not watch a
 * point that also matches another default rule of the same kind with more fields, even if the other rule is disabled. A
 * rule without fields watches nothing.
 */
export function watchedPoints(
  rule: WatchingRule,
  rules: readonly WatchingRule[],
  { points, point, element }: BuildingModel,
): readonly PointNode[] {
  if (fieldCount(rule) === 0) return []
  const candidates = rule.pointId === null ? points : [point(rule.pointId) ?? []].flat()
  const overriding = rules.filter((other) => canOverride(other, rule))
  return candidates.filter((found) => {
    const { elementTypeSlug } = element(found.elementId) ?? {}
    const isMatched = (scope: RuleScope) => matches(scope, found, elementTypeSlug)
    return isMatched(rule) && !overriding.some(isMatched)
  })
}

function matches(scope: RuleScope, found: PointNode, elementType: string | undefined): boolean {
  const { pointId, pointName, quantityKind, unit, pointType, elementTypeSlug } = scope
  return (
    (pointId === null || found.id === pointId) &&
    (pointName === null || storedName(found) === pointName) &&
    (quantityKind === null || found.quantityKind === quantityKind) &&
    (unit === null || found.unit === unit) &&
    (pointType === null || found.pointType === pointType) &&
    (elementTypeSlug === null || elementType === elementTypeSlug)
  )
}

/** A rule for a single point neither overrides another rule nor is overridden. */
const canOverride = (other: WatchingRule, rule: WatchingRule): boolean =>
  other.id !== rule.id &&
  other.isDefault &&
  rule.isDefault &&
  other.kind === rule.kind &&
  other.pointId === null &&
  rule.pointId === null &&
  fieldCount(other) > fieldCount(rule)

const fieldCount = (scope: RuleScope): number => FAULT_RULE_SCOPE.filter((name) => scope[name] !== null).length
