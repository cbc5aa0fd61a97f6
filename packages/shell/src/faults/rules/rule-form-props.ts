import type { FaultRuleRecord } from '@storey/sdk'
import type { problemsOf, RuleFields } from './rule-form.ts'

export interface RuleFormProps {
  fields: RuleFields
  /** The rule that is edited; undefined for a new rule. */
  rule: FaultRuleRecord | undefined
  /** All rules of the building. */
  rules: readonly FaultRuleRecord[]
  problems: ReturnType<typeof problemsOf>
  /** Why the API refused a field, by the name of the field. */
  refused: Readonly<Record<string, string>>
  onChange(changed: Partial<RuleFields>): void
}
