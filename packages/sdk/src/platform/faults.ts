import type { CallOptions, ChangeOptions, HttpClient } from '../http/client.ts'
import type { PageQuery } from '../http/paging.ts'
import { aRecord, rows } from '../http/shape.ts'
import type {
  FaultQuery,
  FaultRecord,
  FaultRulePatch,
  FaultRuleRecord,
  FaultSummary,
  FaultsToAcknowledge,
  NewFaultRule,
} from '../wire.ts'
import { type ReadApi, readApi, verbs } from './resource.ts'

/**
 * The faults of the building.
 *
 * @stable
 */
export interface FaultsApi extends ReadApi<FaultRecord, FaultQuery> {
  acknowledge(faultId: string, options?: ChangeOptions): Promise<FaultRecord>
  /**
   * Acknowledges up to 1,000 faults in one call. Faults that are acknowledged or resolved already stay as they are. If
   * an id is unknown, no fault is acknowledged. Returns the faults in the order of `faultIds`.
   */
  acknowledgeAll(faultIds: readonly string[], options?: CallOptions): Promise<FaultRecord[]>
  /** The numbers of open and acknowledged faults by severity. */
  summary(options?: CallOptions): Promise<FaultSummary>
}

/**
 * The rules that detect faults.
 *
 * @stable
 */
export interface FaultRulesApi extends ReadApi<FaultRuleRecord> {
  create(body: NewFaultRule, options?: CallOptions): Promise<FaultRuleRecord>
  update(ruleId: string, body: FaultRulePatch, options?: ChangeOptions): Promise<FaultRuleRecord>
  delete(ruleId: string, options?: ChangeOptions): Promise<void>
}

export function faultsApi(http: HttpClient, building: string): FaultsApi {
  const all = `${building}/faults`
  const { act } = verbs(http, all)
  return {
    ...readApi<FaultRecord, FaultQuery>(http, all),
    acknowledge: (faultId, options) => act(faultId, 'acknowledge', undefined, options),
    async acknowledgeAll(faultIds, options) {
      const body: FaultsToAcknowledge = { faultIds: [...faultIds] }
      const call = { ...options, method: 'POST', path: `${all}/acknowledge`, body, shape: rows } as const
      return (await http.json<{ data: FaultRecord[] }>(call)).data
    },
    summary: (options) => http.json({ ...options, method: 'GET', path: `${all}/summary`, shape: aRecord }),
  }
}

export function faultRulesApi(http: HttpClient, building: string): FaultRulesApi {
  const all = `${building}/fault-rules`
  const { create, update, delete: remove } = verbs(http, all)
  return { ...readApi<FaultRuleRecord, PageQuery>(http, all), create, update, delete: remove }
}
