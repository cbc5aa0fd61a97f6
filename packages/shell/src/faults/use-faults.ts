import type { FaultRecord, FaultRuleRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { readActiveFaults } from '../fault-marks/read-active-faults.ts'
import { readFaultRules } from './read-fault-rules.ts'
import { readFaults } from './read-faults.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 15_000

export interface FaultList {
  rows: readonly FaultRecord[]
  total: number
}

/** The newest resolved faults, and the number of all resolved faults. */
export function useResolvedFaults(limit: number): Loading<FaultList> {
  const { api } = useShell()
  const query = { state: 'resolved', limit } as const
  return useLoad(['resolved-faults', api.buildingId, limit], (signal) => readFaults(api, query, signal), {
    pollMs: () => POLL_MS,
    changes: 'faults',
    isCached: true,
    keepsPrevious: true,
  })
}

/**
 * The active faults; if there are too many to load, only the most severe. All components that call this function share
 * one request.
 */
export function useActiveFaults(): Loading<FaultList> {
  const { api } = useShell()
  return useLoad(['active-faults', api.buildingId], (signal) => readActiveFaults(api, signal), {
    pollMs: () => POLL_MS,
    changes: 'faults',
  })
}

export interface FaultRules extends Pick<Loading<readonly FaultRuleRecord[]>, 'data' | 'error' | 'reload'> {
  byId: ReadonlyMap<string, FaultRuleRecord>
  /** Shows a changed rule at once, and reloads the list. */
  replace(rule: FaultRuleRecord): void
}

export function useFaultRules(): FaultRules {
  const { api } = useShell()
  const load = useLoad(['fault-rules', api.buildingId], (signal) => readFaultRules(api, signal), { changes: 'faults' })
  const { data, error, reload, setData } = load
  const byId = useMemo(() => new Map(data?.map((rule) => [rule.id, rule])), [data])
  const replace = useCallback(
    (rule: FaultRuleRecord) => {
      if (data) setData(data.map((one) => (one.id === rule.id ? rule : one)))
      reload()
    },
    [data, setData, reload],
  )
  return { data, error, byId, reload, replace }
}

/**
 * Reloads the rules when a fault has an unknown rule. Each unknown rule causes one reload only, because it may have
 * been deleted.
 */
export function useReloadOnNewRule({ byId, reload }: FaultRules, faults: readonly FaultRecord[] | undefined): void {
  const requested = useRef(new Set<string>())
  useEffect(() => {
    const unknown = (faults ?? []).map(({ ruleId }) => ruleId).filter((id) => id !== null && !byId.has(id))
    // The rules may still be loading.
    if (byId.size === 0 || unknown.every((id) => requested.current.has(id!))) return
    for (const id of unknown) requested.current.add(id!)
    reload()
  }, [byId, reload, faults])
}
