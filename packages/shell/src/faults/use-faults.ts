import type { FaultQuery, FaultRecord, FaultRuleRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useEffect, useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { readFaultRules } from './read-fault-rules.ts'

/** The poll interval while the live channel does not report changes. */
const POLL_MS = 15_000

export interface FaultList {
  rows: readonly FaultRecord[]
  total: number
}

export function useFaults(
  states: readonly FaultRecord['state'][],
  query: Pick<FaultQuery, 'severity' | 'limit'>,
): Loading<FaultList> {
  const { api } = useShell()
  const read = async (signal: AbortSignal): Promise<FaultList> => {
    const pages = await Promise.all(states.map((state) => api.faults.list({ state, ...query }, { signal })))
    return { rows: pages.flatMap(({ data }) => data), total: pages.reduce((sum, { total }) => sum + total, 0) }
  }
  return useLoad(['faults', api.buildingId, states, query], read, {
    pollMs: () => POLL_MS,
    changes: 'faults',
    isCached: true,
  })
}

export interface FaultRules {
  byId: ReadonlyMap<string, FaultRuleRecord>
  reload(): void
}

/** The fault rules by id. */
export function useFaultRules(): FaultRules {
  const { api } = useShell()
  const { data, reload } = useLoad(['fault-rules', api.buildingId], (signal) => readFaultRules(api, signal), {
    changes: 'faults',
  })
  const byId = useMemo(() => new Map(data?.map((rule) => [rule.id, rule])), [data])
  return { byId, reload }
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
