import type { FaultRuleRecord } from '@storey/sdk'

/** What the user does with a rule. */
export type RuleTask =
  | { kind: 'create'; from?: FaultRuleRecord }
  | { kind: 'edit'; rule: FaultRuleRecord }
  | { kind: 'delete'; rule: FaultRuleRecord }
