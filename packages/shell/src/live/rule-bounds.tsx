import type { FaultRuleRecord, PointNode } from '@storey/sdk'
import { useLoad } from '@storey/web'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { readFaultRules } from '../faults/read-fault-rules.ts'
import { boundsFor } from './bounds-for.ts'

const NONE: readonly FaultRuleRecord[] = []

interface Rules {
  rules: readonly FaultRuleRecord[]
  /** Loads the rules. */
  request(): void
}

const RulesContext = createContext<Rules>({ rules: NONE, request: () => {} })

/**
 * The rules with bounds, for all pages: a value near a bound gets more decimals (`format-value.ts`). The rules are
 * loaded when a page shows values for the first time. Until then values have the decimals of their unit.
 */
export function RuleBoundsProvider({ children }: { children: ReactNode }): ReactNode {
  const { api } = useShell()
  const [isRequested, setIsRequested] = useState(false)
  const { data } = useLoad(
    ['rule-bounds', api.buildingId, isRequested],
    async (signal) => (isRequested ? await readFaultRules(api, signal) : NONE),
    { changes: 'faults' },
  )
  const value = useMemo(
    () => ({
      rules: data?.filter(({ kind, enabled }) => kind === 'threshold' && enabled) ?? NONE,
      request: () => setIsRequested(true),
    }),
    [data],
  )
  return <RulesContext value={value}>{children}</RulesContext>
}

/** The bounds of the enabled rules that match a point, even if a more specific rule overrides them. */
export function useRuleBounds(): (point: PointNode) => readonly number[] {
  const { rules, request } = useContext(RulesContext)
  const { element } = useBuildingData()
  useEffect(request, [request])
  return useCallback((point) => boundsFor(rules, point, element(point.elementId)), [rules, element])
}
