import type { FaultQuery, FaultRecord, FaultRuleRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useEffect, useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { useLiveEvent, useValueStore } from '../live/live.tsx'
import { useSoon } from '../live/use-soon.ts'
import { mayBeOver } from './may-be-over.ts'

const AGAIN_MS = 15_000
const NO_RULES: ReadonlyMap<string, FaultRuleRecord> = new Map()

export interface FoundFaults {
  rows: readonly FaultRecord[]
  total: number
}

/**
 * Faults in some states, as they are now: read again every little while, soon after an alarm, and soon after a value
 * that looks like the end of one of them.
 */
export function useFaults(
  states: readonly FaultRecord['state'][],
  query: Pick<FaultQuery, 'severity' | 'limit'>,
  rules: ReadonlyMap<string, FaultRuleRecord> = NO_RULES,
): Loading<FoundFaults> {
  const { api } = useShell()
  const read = async (signal: AbortSignal): Promise<FoundFaults> => {
    const pages = await Promise.all(states.map((state) => api.faults.list({ state, ...query }, { signal })))
    return { rows: pages.flatMap(({ data }) => data), total: pages.reduce((sum, { total }) => sum + total, 0) }
  }
  const list = useLoad(['faults', api.buildingId, states, query], read, { again: () => AGAIN_MS, isKept: true })
  const soon = useSoon(list.reload)
  useLiveEvent('building.alarm.triggered', soon)
  useEndsOf(list.data?.rows, rules, soon)
  return list
}

/** Calls `onEnd` when a point with a fault has a value that may end it: once, until it is bad again. */
function useEndsOf(
  faults: readonly FaultRecord[] | undefined,
  rules: ReadonlyMap<string, FaultRuleRecord>,
  onEnd: () => void,
): void {
  const values = useValueStore()
  const asked = useRef(new Set<string>())
  const latest = useRef(onEnd)
  useEffect(() => {
    latest.current = onEnd
  })
  const byPoint = useMemo(() => {
    const going = (faults ?? []).filter(({ state, pointId }) => state !== 'resolved' && pointId !== null)
    return Map.groupBy(going, ({ pointId }) => pointId!)
  }, [faults])
  useEffect(
    () =>
      values.watchAll((pointIds) => {
        for (const [pointId, going] of byPoint) {
          const reading = pointIds.has(pointId) ? values.get(pointId) : undefined
          if (!reading) continue
          for (const fault of going) {
            if (!mayBeOver(fault, rules.get(fault.ruleId ?? ''), reading.value)) asked.current.delete(fault.id)
            else if (!asked.current.has(fault.id)) {
              asked.current.add(fault.id)
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

/** The rules by their ids. Without them a fault still has its kind. */
export function useFaultRules(): FaultRules {
  const { api } = useShell()
  const { data, reload } = useLoad(['fault-rules', api.buildingId], (signal) =>
    api.faultRules.list({ limit: 200 }, { signal }),
  )
  const byId = useMemo(() => new Map(data?.data.map((rule) => [rule.id, rule])), [data])
  return { byId, reload }
}

/** Reads the rules again when a fault names one that is not known: once for each, since it may be gone. */
export function useNewRules({ byId, reload }: FaultRules, faults: readonly FaultRecord[] | undefined): void {
  const asked = useRef(new Set<string>())
  useEffect(() => {
    const unknown = (faults ?? []).map(({ ruleId }) => ruleId).filter((id) => id !== null && !byId.has(id))
    // The rules themselves may still be on their way.
    if (byId.size === 0 || unknown.every((id) => asked.current.has(id!))) return
    for (const id of unknown) asked.current.add(id!)
    reload()
  }, [byId, reload, faults])
}
