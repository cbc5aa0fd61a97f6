import { FAULT_RULE_SCOPE, type FaultRuleKind, MIN_ABSENCE_SECONDS } from '@storey/contract'
import type { FaultRulePatch, FaultRuleRecord, NewFaultRule } from '@storey/sdk'
import { DURATION_UNITS, type DurationUnit, splitDuration } from './duration.ts'

/** The fields of the form, as the user types them. */
export interface RuleFields {
  kind: FaultRuleKind
  name: string
  severity: FaultRuleRecord['severity']
  enabled: boolean
  pointId: string
  pointName: string
  quantityKind: string
  unit: string
  pointType: FaultRuleRecord['pointType'] | ''
  elementTypeSlug: string
  above: string
  below: string
  duration: string
  durationUnit: DurationUnit
}

const EMPTY: RuleFields = {
  kind: 'threshold',
  name: '',
  severity: 'minor',
  enabled: true,
  pointId: '',
  pointName: '',
  quantityKind: '',
  unit: '',
  pointType: '',
  elementTypeSlug: '',
  above: '',
  below: '',
  duration: '30',
  durationUnit: 'min',
}

export function fieldsOf(rule: FaultRuleRecord | undefined): RuleFields {
  if (!rule) return EMPTY
  const { amount, unit } = splitDuration(rule.durationSeconds)
  return {
    kind: rule.kind,
    name: rule.name,
    severity: rule.severity,
    enabled: rule.enabled,
    pointId: rule.pointId ?? '',
    pointName: rule.pointName ?? '',
    quantityKind: rule.quantityKind ?? '',
    unit: rule.unit ?? '',
    pointType: rule.pointType ?? '',
    elementTypeSlug: rule.elementTypeSlug ?? '',
    above: rule.above === null ? '' : String(rule.above),
    below: rule.below === null ? '' : String(rule.below),
    duration: String(amount),
    durationUnit: unit,
  }
}

/** A number as people type it, with a comma or a point; undefined for an empty field, NaN for any other text. */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replace('−', '-')
  if (trimmed === '') return undefined
  return /^-?\d+([.,]\d+)?$/.test(trimmed) ? Number(trimmed.replace(',', '.')) : Number.NaN
}

const secondsOf = ({ kind, duration, durationUnit }: RuleFields): number =>
  kind === 'alarm' ? 0 : (readNumber(duration) ?? 0) * DURATION_UNITS[durationUnit]

export type RuleProblem = 'required' | 'noScope' | 'noNumber' | 'noBound' | 'crossed' | 'tooShort' | 'noDuration'

export const hasNoScope = (fields: RuleFields): boolean => FAULT_RULE_SCOPE.every((name) => fields[name] === '')

/** What the user must fix before the rule can be saved, by field. `scope` stands for all fields that select points. */
export function problemsOf(fields: RuleFields): Partial<Record<keyof RuleFields | 'scope', RuleProblem>> {
  const { kind, above, below } = fields
  const found: Partial<Record<keyof RuleFields | 'scope', RuleProblem>> = {}
  if (fields.name.trim() === '') found.name = 'required'
  if (hasNoScope(fields)) found.scope = 'noScope'
  if (kind === 'threshold') {
    const [high, low] = [readNumber(above), readNumber(below)]
    if (Number.isNaN(high)) found.above = 'noNumber'
    if (Number.isNaN(low)) found.below = 'noNumber'
    if (high === undefined && low === undefined) found.above = 'noBound'
    if (high !== undefined && low !== undefined && high <= low) found.above = 'crossed'
  }
  const seconds = secondsOf(fields)
  if (!Number.isInteger(seconds) || seconds < 0) found.duration = 'noDuration'
  else if ((kind === 'stuck' || kind === 'silent') && seconds < MIN_ABSENCE_SECONDS) found.duration = 'tooShort'
  return found
}

/** The body of a new rule. */
export function ruleOf(fields: RuleFields): NewFaultRule {
  const { kind, name, severity, enabled } = fields
  const isThreshold = kind === 'threshold'
  return {
    kind,
    name: name.trim(),
    severity,
    enabled,
    pointId: fields.pointId || null,
    pointName: fields.pointName || null,
    quantityKind: fields.quantityKind || null,
    unit: fields.unit || null,
    pointType: fields.pointType || null,
    elementTypeSlug: fields.elementTypeSlug || null,
    above: (isThreshold ? readNumber(fields.above) : undefined) ?? null,
    below: (isThreshold ? readNumber(fields.below) : undefined) ?? null,
    durationSeconds: secondsOf(fields),
  }
}

/** The fields that the user changed since the form opened. */
export function patchOf(before: RuleFields, after: RuleFields): FaultRulePatch {
  const [{ kind: _, ...old }, { kind: __, ...next }] = [ruleOf(before), ruleOf(after)]
  return Object.fromEntries(
    Object.entries(next).filter(([name, value]) => value !== old[name as keyof typeof old]),
  ) as FaultRulePatch
}
