import type { FaultRecord } from '@storey/sdk'
import { useTexts } from '@storey/web'
import { useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useFaultTitle } from '../faults/fault-title.ts'
import { useFaults } from '../faults/use-faults.ts'
import type { PlanMark } from '../plan/marks.tsx'

const STATES = ['open'] as const
const MAX_FAULTS = { limit: 200 }

export interface RoomFaults {
  marks: ReadonlyMap<string, PlanMark>
  in(spaceId: string): readonly FaultRecord[]
}

/** The open faults by room. Of more than 200 faults only the newest are loaded. */
export function useFaultMarks(): RoomFaults {
  const t = useTexts(shellTexts)
  const model = useBuildingData()
  const { data } = useFaults(STATES, MAX_FAULTS)
  const titleOf = useFaultTitle()
  return useMemo(() => {
    const bySpace = Map.groupBy(data?.rows ?? [], ({ pointId, elementId }) => {
      const nodeId = pointId ?? elementId
      return nodeId === null ? undefined : model.spaceOf(nodeId)?.id
    })
    const marks = new Map<string, PlanMark>()
    for (const [spaceId, faults] of bySpace) {
      if (spaceId === undefined) continue
      marks.set(spaceId, {
        kind: 'fault',
        label: `${t('fault')}: ${faults.map(({ title }) => titleOf(title)).join(', ')}`,
      })
    }
    return { marks, in: (spaceId) => bySpace.get(spaceId) ?? [] }
  }, [data, model, t, titleOf])
}
