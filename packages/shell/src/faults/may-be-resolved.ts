import type { FaultRecord, FaultRuleRecord } from '@storey/sdk'

type Fault = Pick<FaultRecord, 'kind' | 'value'>
type Rule = Pick<FaultRuleRecord, 'above' | 'below'>

const ON = new Set(['1', 'true', 'on', 'active', 'alarm', 'fault'])

/**
 * Whether a new value of its point may resolve a fault. There is no live event for resolved faults, so this decides when
 * to reload; only the API knows for sure.
 */
export function mayBeResolved({ kind, value: faultValue }: Fault, rule: Rule | undefined, value: string): boolean {
  if (kind === 'silent') return true
  if (kind === 'alarm') return !ON.has(value.toLowerCase())
  if (kind === 'stuck' || !rule) return value !== faultValue
  const number = Number(value)
  if (!Number.isFinite(number)) return false
  return (rule.above === null || number <= rule.above) && (rule.below === null || number >= rule.below)
}
