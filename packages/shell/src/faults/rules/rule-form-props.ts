import type { problemsOf, RuleFields } from './rule-form.ts'

export interface RuleFormProps {
  fields: RuleFields
  isNew: boolean
  problems: ReturnType<typeof problemsOf>
  /** What the API refused, by field. */
  refused: Readonly<Record<string, string>>
  onChange(changed: Partial<RuleFields>): void
}
