import { useMemo } from 'react'
import { useActiveFaults } from '../use-faults.ts'

/** The number of active faults of a rule; undefined unless all active faults of the building are loaded. */
export type RuleFaults = (ruleId: string) => number | undefined

export function useRuleFaults(): RuleFaults {
  const { data } = useActiveFaults()
  return useMemo(() => {
    const byRule = Map.groupBy(data?.rows ?? [], ({ ruleId }) => ruleId)
    const isComplete = data !== undefined && data.total <= data.rows.length
    return (ruleId) => (isComplete ? (byRule.get(ruleId)?.length ?? 0) : undefined)
  }, [data])
}
