import type { FaultRecord } from '@storey/sdk'
import { useWords } from '@storey/web'
import { useMemo } from 'react'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useFaultTitle } from '../faults/fault-title.ts'
import { useFaults } from '../faults/use-faults.ts'
import type { PlanMark } from '../plan/marks.tsx'

const STATES = ['open'] as const
const MOST = { limit: 200 }

export interface RoomFaults {
  marks: ReadonlyMap<string, PlanMark>
  in(spaceId: string): readonly FaultRecord[]
}

/** Rooms with an open fault. */
export function useFaultMarks(): RoomFaults {
  const t = useWords(shellWords)
  const model = useBuildingData()
  const { data } = useFaults(STATES, MOST)
  const titleOf = useFaultTitle()
  return useMemo(() => {
    const bySpace = Map.groupBy(data?.rows ?? [], ({ pointId, elementId }) => {
      const place = pointId ?? elementId
      return place === null ? undefined : model.spaceOf(place)?.id
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
