import type { FaultRecord, FaultRuleRecord } from '@storey/sdk'

type Fault = Pick<FaultRecord, 'kind' | 'value'>
type Rule = Pick<FaultRuleRecord, 'above' | 'below'>

const ON = new Set(['1', 'true', 'on', 'active', 'alarm', 'fault'])

/**
 * Whether a new value of its point looks like the end of a fault. Nothing tells of an end, so that this is when it is
 * worth asking; the API alone knows.
 */
export function mayBeOver({ kind, value: found }: Fault, rule: Rule | undefined, value: string): boolean {
  if (kind === 'silent') return true
  if (kind === 'alarm') return !ON.has(value.toLowerCase())
  if (kind === 'stuck' || !rule) return value !== found
  const number = Number(value)
  if (!Number.isFinite(number)) return false
  return (rule.above === null || number <= rule.above) && (rule.below === null || number >= rule.below)
}
