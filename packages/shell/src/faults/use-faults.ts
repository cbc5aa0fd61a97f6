import type { FaultQuery, FaultRecord, FaultRuleRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useEffect, useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { useLiveEvent, useValueStore } from '../live/live.tsx'
import { useThrottled } from '../live/use-throttled.ts'
import { mayBeResolved } from './may-be-resolved.ts'

const POLL_MS = 15_000
const NO_RULES: ReadonlyMap<string, FaultRuleRecord> = new Map()

export interface FaultList {
  rows: readonly FaultRecord[]
  total: number
}

/** Loads faults by state, and again periodically, after an alarm, and after a value that may resolve one of them. */
export function useFaults(
  states: readonly FaultRecord['state'][],
  query: Pick<FaultQuery, 'severity' | 'limit'>,
  rules: ReadonlyMap<string, FaultRuleRecord> = NO_RULES,
): Loading<FaultList> {
  const { api } = useShell()
  const read = async (signal: AbortSignal): Promise<FaultList> => {
    const pages = await Promise.all(states.map((state) => api.faults.list({ state, ...query }, { signal })))
    return { rows: pages.flatMap(({ data }) => data), total: pages.reduce((sum, { total }) => sum + total, 0) }
  }
  const list = useLoad(['faults', api.buildingId, states, query], read, { pollMs: () => POLL_MS, isCached: true })
  const reloadSoon = useThrottled(list.reload)
  useLiveEvent('building.alarm.triggered', reloadSoon)
  useOnMayBeResolved(list.data?.rows, rules, reloadSoon)
  return list
}

/** Calls back once when a new value may resolve a fault, and again only after another value that does not. */
function useOnMayBeResolved(
  faults: readonly FaultRecord[] | undefined,
  rules: ReadonlyMap<string, FaultRuleRecord>,
  callback: () => void,
): void {
  const values = useValueStore()
  const notified = useRef(new Set<string>())
  const latest = useRef(callback)
  useEffect(() => {
    latest.current = callback
  })
  const byPoint = useMemo(() => {
    const active = (faults ?? []).filter(({ state, pointId }) => state !== 'resolved' && pointId !== null)
    return Map.groupBy(active, ({ pointId }) => pointId!)
  }, [faults])
  useEffect(
    () =>
      values.watchAll((pointIds) => {
        for (const [pointId, active] of byPoint) {
          const reading = pointIds.has(pointId) ? values.get(pointId) : undefined
          if (!reading) continue
          for (const fault of active) {
            if (!mayBeResolved(fault, rules.get(fault.ruleId ?? ''), reading.value)) notified.current.delete(fault.id)
            else if (!notified.current.has(fault.id)) {
              notified.current.add(fault.id)
              latest.current()
            }
          }
        }
      }),
    [values, byPoint, rules],
  )
}

export interface FaultRules {
  byId: ReadonlyMap<string, FaultRuleRecord>
  reload(): void
}

/** The fault rules by id. */
export function useFaultRules(): FaultRules {
  const { api } = useShell()
  const { data, reload } = useLoad(['fault-rules', api.buildingId], (signal) =>
    api.faultRules.list({ limit: 200 }, { signal }),
  )
  const byId = useMemo(() => new Map(data?.data.map((rule) => [rule.id, rule])), [data])
  return { byId, reload }
}

/** Reloads the rules when a fault has an unknown rule, once per rule, because it may have been deleted. */
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
