import { useLoad } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useFaults } from '../faults/use-faults.ts'
import { countFaults } from './count-faults.ts'
import { faultIndex } from './fault-index.ts'
import { FaultsContext, NO_FAULTS } from './use-fault-index.ts'

const STATES = ['open', 'acknowledged'] as const
const MAX_FAULTS = { limit: 200 }

/** Loads the active faults once for the navigation and for the marks of all pages. */
export function FaultsProvider({ children }: { children: ReactNode }): ReactNode {
  const { api } = useShell()
  const model = useBuildingData()
  const { data } = useFaults(STATES, MAX_FAULTS)
  // Of more faults only the newest are loaded, and then the API counts them.
  const isPartial = data !== undefined && data.total > data.rows.length
  const summary = useLoad(
    ['fault-summary', api.buildingId, isPartial],
    async (signal) => (isPartial ? await api.faults.summary({ signal }) : undefined),
    isPartial ? { changes: 'faults' } : {},
  )
  const counted = summary.data
  const faults = useMemo(() => {
    if (!data) return NO_FAULTS
    return { index: faultIndex(data.rows, model), counts: isPartial ? counted : countFaults(data.rows) }
  }, [data, model, isPartial, counted])
  return <FaultsContext value={faults}>{children}</FaultsContext>
}
