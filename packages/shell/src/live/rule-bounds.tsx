import type { FaultRuleRecord, PointNode } from '@storey/sdk'
import { useLoad } from '@storey/web'
import { createContext, type ReactNode, useCallback, useContext, useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { readFaultRules } from '../faults/read-fault-rules.ts'
import { boundsFor } from './bounds-for.ts'

const NONE: readonly FaultRuleRecord[] = []
const RulesContext = createContext(NONE)

/** Loads the rules with bounds once for all pages. Without them values have the decimals of their unit. */
export function RuleBoundsProvider({ children }: { children: ReactNode }): ReactNode {
  const { api } = useShell()
  const { data } = useLoad(['rule-bounds', api.buildingId], (signal) => readFaultRules(api, signal), {
    changes: 'faults',
  })
  const rules = useMemo(() => data?.filter(({ kind, enabled }) => kind === 'threshold' && enabled) ?? NONE, [data])
  return <RulesContext value={rules}>{children}</RulesContext>
}

/** The bounds of the rules that watch a point. */
export function useRuleBounds(): (point: PointNode) => readonly number[] {
  const rules = useContext(RulesContext)
  const { element } = useBuildingData()
  return useCallback((point) => boundsFor(rules, point, element(point.elementId)), [rules, element])
}
