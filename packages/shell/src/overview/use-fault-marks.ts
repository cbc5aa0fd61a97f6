import type { FaultRecord } from '@storey/sdk'
import { useLoad, useWords } from '@storey/web'
import { useEffect, useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useLiveEvent } from '../live/live.tsx'
import type { PlanMark } from '../plan/marks.tsx'

/** An alarm tells of a new fault; that one is over is asked for. */
const AGAIN_MS = 60_000
const AFTER_ALARM_MS = 500

export interface RoomFaults {
  marks: ReadonlyMap<string, PlanMark>
  in(spaceId: string): readonly FaultRecord[]
}

/** Rooms with an open fault. */
export function useFaultMarks(): RoomFaults {
  const t = useWords(shellWords)
  const { api } = useShell()
  const model = useBuildingData()
  const query = { state: 'open', limit: 200 } as const
  const { data, reload } = useLoad((signal) => api.faults.list(query, { signal }), [api.buildingId], {
    again: () => AGAIN_MS,
  })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  useLiveEvent('building.alarm.triggered', () => {
    // Many may come at once.
    clearTimeout(timer.current)
    timer.current = setTimeout(reload, AFTER_ALARM_MS)
  })
  return useMemo(() => {
    const bySpace = Map.groupBy(data?.data ?? [], ({ pointId, elementId }) => {
      const place = pointId ?? elementId
      return place === null ? undefined : model.spaceOf(place)?.id
    })
    const marks = new Map<string, PlanMark>()
    for (const [spaceId, faults] of bySpace) {
      if (spaceId === undefined) continue
      marks.set(spaceId, { kind: 'fault', label: `${t('fault')}: ${faults.map(({ title }) => title).join(', ')}` })
    }
    return { marks, in: (spaceId) => bySpace.get(spaceId) ?? [] }
  }, [data, model, t])
}
