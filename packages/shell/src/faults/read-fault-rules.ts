import type { BuildingClient, FaultRuleRecord } from '@storey/sdk'
import { readAll } from '@storey/web'

/** All fault rules of the building, which may be more than one page. */
export const readFaultRules = (
  { faultRules }: Pick<BuildingClient, 'faultRules'>,
  signal: AbortSignal,
): Promise<FaultRuleRecord[]> => readAll(faultRules.listAll({}, { signal }))
