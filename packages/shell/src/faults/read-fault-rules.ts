import type { BuildingClient, FaultRuleRecord } from '@storey/sdk'

/** All fault rules of the building, which may be more than one page. */
export async function readFaultRules(
  { faultRules }: Pick<BuildingClient, 'faultRules'>,
  signal: AbortSignal,
): Promise<FaultRuleRecord[]> {
  const rules: FaultRuleRecord[] = []
  for await (const rule of faultRules.listAll({}, { signal })) rules.push(rule)
  return rules
}
