import {
  elementType,
  elementTypes,
  FAULT_RULE_SCOPE,
  type FaultRuleKind,
  type FieldError,
  MIN_ABSENCE_SECONDS,
  problems,
  quantityKind,
  quantityKinds,
  unit,
  units,
  unitsOf,
} from '@storey/contract'
import type { RuleColumns } from './fault-rules.store.ts'

/** Checks what the schema of the body does not: the fields that the kind requires or forbids, and catalog values. */
export function checkRule(kind: FaultRuleKind, rule: RuleColumns): void {
  checkCatalogs(rule)
  const wrong = [...scopeErrors(rule), ...boundErrors(kind, rule), ...durationErrors(kind, rule)]
  const errors = wrong.map(([name, detail]): FieldError => ({ pointer: `/${name}`, in: 'body', detail }))
  if (errors.length > 0) throw problems.validation(errors)
}

type Wrong = [name: keyof RuleColumns, detail: string]

function scopeErrors(rule: RuleColumns): Wrong[] {
  if (FAULT_RULE_SCOPE.some((name) => rule[name] !== null)) return []
  return [['pointId', `a rule needs at least one of ${FAULT_RULE_SCOPE.join(', ')}`]]
}

function boundErrors(kind: FaultRuleKind, { above, below }: RuleColumns): Wrong[] {
  const given = (['above', 'below'] as const).filter((name) => ({ above, below })[name] !== null)
  if (kind !== 'threshold') return given.map((name) => [name, `${name} is for threshold rules only`])
  if (given.length === 0) return [['above', 'a threshold rule needs above or below']]
  const endless = given.filter((name) => !Number.isFinite({ above, below }[name]))
  if (endless.length > 0) return endless.map((name) => [name, `${name} must be a finite number`])
  // With crossed bounds every value would be a fault, and with equal bounds every value but one.
  if (given.length === 2 && above! <= below!) return [['above', 'above must be larger than below']]
  return []
}

function durationErrors(kind: FaultRuleKind, { durationSeconds }: RuleColumns): Wrong[] {
  if (kind === 'alarm' && durationSeconds > 0) {
    return [['durationSeconds', 'an alarm rule opens a fault immediately: durationSeconds must be 0 or absent']]
  }
  if ((kind === 'stuck' || kind === 'silent') && durationSeconds < MIN_ABSENCE_SECONDS) {
    return [['durationSeconds', `a ${kind} rule needs durationSeconds of at least ${MIN_ABSENCE_SECONDS}`]]
  }
  return []
}

/**
 * Refuses values that are not in the catalogs, such as typos. With such a value, the rule would watch no point, and
 * nobody would notice.
 */
function checkCatalogs(rule: RuleColumns): void {
  if (rule.quantityKind !== null && !quantityKind(rule.quantityKind)) {
    const names = quantityKinds.map(({ name }) => name)
    throw problems.invalidValue(
      'quantityKind',
      'quantityKind is not in the catalog of quantity kinds (GET /api/v1/catalogs/quantity-kinds)',
      names,
    )
  }
  if (rule.unit !== null && !unit(rule.unit)) {
    const names = units.map(({ name }) => name)
    throw problems.invalidValue('unit', 'unit is not in the catalog of units (GET /api/v1/catalogs/units)', names)
  }
  if (rule.quantityKind !== null && rule.unit !== null && !unitsOf(rule.quantityKind).includes(rule.unit)) {
    const fitting = unitsOf(rule.quantityKind)
    const detail = `unit ${rule.unit} does not fit ${rule.quantityKind}: use ${fitting.join(', ')}`
    throw problems.invalidValue('unit', detail, fitting)
  }
  if (rule.elementTypeSlug !== null && !elementType(rule.elementTypeSlug)) {
    const slugs = elementTypes.map(({ slug }) => slug)
    const detail = 'elementTypeSlug is not in the catalog of element types (GET /api/v1/catalogs/element-types)'
    throw problems.invalidValue('elementTypeSlug', detail, slugs)
  }
}
