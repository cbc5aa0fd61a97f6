import type { FaultSummary } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import type { BuildingModel } from '../building/model.ts'
import { type FaultList, useFaults } from '../faults/use-faults.ts'
import { type FaultIndex, faultIndex } from './fault-index.ts'

/** The poll interval while the live channel does not report changes. */
const POLL_MS = 15_000
const STATES = ['open', 'acknowledged'] as const
const MAX_FAULTS = { limit: 200 }
const EMPTY: FaultIndex = { all: [], at: () => [] }

/** One index for all components that show the same list. */
const indexes = new WeakMap<FaultList, { model: BuildingModel; index: FaultIndex }>()

/** The active faults by node. Of more than 200 faults of a state only the newest are loaded. */
export function useFaultIndex(): FaultIndex {
  const model = useBuildingData()
  const { data } = useFaults(STATES, MAX_FAULTS)
  if (!data) return EMPTY
  const known = indexes.get(data)
  if (known?.model === model) return known.index
  const index = faultIndex(data.rows, model)
  indexes.set(data, { model, index })
  return index
}

/** The numbers of active faults by state and severity, however many there are. */
export function useFaultSummary(): Loading<FaultSummary> {
  const { api } = useShell()
  return useLoad(['fault-summary', api.buildingId], (signal) => api.faults.summary({ signal }), {
    pollMs: () => POLL_MS,
    changes: 'faults',
    isCached: true,
  })
}
