import type { FaultRecord, FaultSummary } from '@storey/sdk'

export type FaultCounts = FaultSummary

/** Counts active faults as `…/faults/summary` does. */
export function countFaults(faults: readonly FaultRecord[]): FaultCounts {
  const none = () => ({ info: 0, minor: 0, major: 0, critical: 0 })
  const counts = { open: none(), acknowledged: none(), total: 0 }
  for (const { state, severity } of faults) {
    if (state === 'resolved') continue
    counts[state][severity]++
    counts.total++
  }
  return counts
}
