import { createContext, useContext } from 'react'
import type { FaultCounts } from './count-faults.ts'
import type { FaultIndex } from './fault-index.ts'

/** The active faults that all pages share. */
export interface ActiveFaults {
  index: FaultIndex
  /** Undefined until the faults are loaded. */
  counts: FaultCounts | undefined
}

export const NO_FAULTS: ActiveFaults = { index: { all: [], at: () => [] }, counts: undefined }
export const FaultsContext = createContext(NO_FAULTS)

/** The active faults by node. */
export const useFaultIndex = (): FaultIndex => useContext(FaultsContext).index

/** The numbers of active faults by state and severity; undefined until they are loaded. */
export const useFaultCounts = (): FaultCounts | undefined => useContext(FaultsContext).counts
