import { useLoad } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData, useIsBuildingLoaded } from '../building/building-data.tsx'
import { useActiveFaults } from '../faults/use-faults.ts'
import { countFaults } from './count-faults.ts'
import { faultIndex } from './fault-index.ts'
import { type ActiveFaults, FaultsContext, NO_FAULTS } from './use-fault-index.ts'

/** The active faults for the navigation and for the marks of all pages. */
export function FaultsProvider({ children }: { children: ReactNode }): ReactNode {
  const isLoaded = useIsBuildingLoaded()
  const [faults, setFaults] = useState(NO_FAULTS)
  return (
    <FaultsContext value={faults}>
      {isLoaded ? <FaultsLoader onFaults={setFaults} /> : null}
      {children}
    </FaultsContext>
  )
}

/** Loads the faults once for all components that show them. */
function FaultsLoader({ onFaults }: { onFaults(faults: ActiveFaults): void }): null {
  const { api } = useShell()
  const model = useBuildingData()
  const { data } = useActiveFaults()
  // If there are too many faults to load, only the most severe ones are loaded, and the API counts all active faults.
  const isPartial = data !== undefined && data.total > data.rows.length
  const summary = useLoad(
    ['fault-summary', api.buildingId, isPartial],
    async (signal) => (isPartial ? await api.faults.summary({ signal }) : null),
    isPartial ? { changes: 'faults' } : {},
  )
  const counted = summary.data ?? undefined
  useEffect(() => {
    if (data) onFaults({ index: faultIndex(data.rows, model), counts: isPartial ? counted : countFaults(data.rows) })
  }, [data, model, isPartial, counted, onFaults])
  return null
}
