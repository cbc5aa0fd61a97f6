import type { FaultRecord, SpaceNode } from '@storey/sdk'
import { useLoad } from '@storey/web'
import { useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { readReplayFaults } from './faults-in-time.ts'
import type { ReplayWindow } from './window.ts'

const NO_FAULTS: readonly FaultRecord[] = []

/** The faults on the storey of these spaces during the window. */
export function useStoreyFaults(
  window: ReplayWindow | undefined,
  spaces: readonly SpaceNode[],
): readonly FaultRecord[] {
  const { api } = useShell()
  const model = useBuildingData()
  const key = window ? [window.from, window.to] : null
  const { data } = useLoad(
    ['replay-faults', api.buildingId, key],
    async (signal) => (window ? await readReplayFaults(api, window, signal) : NO_FAULTS),
    { changes: 'faults' },
  )
  const storeyId = spaces[0]?.storeyId
  return useMemo(
    () =>
      storeyId === undefined
        ? NO_FAULTS
        : (data ?? NO_FAULTS).filter(
            (fault) => model.storeyOf(fault.pointId ?? fault.elementId ?? '')?.id === storeyId,
          ),
    [data, model, storeyId],
  )
}
