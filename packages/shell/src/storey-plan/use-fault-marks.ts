import type { FaultRecord } from '@storey/sdk'
import { useTexts } from '@storey/web'
import { useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { type FaultIndex, faultIndex, faultMark } from '../fault-marks/fault-index.ts'
import { useFaultIndex } from '../fault-marks/use-fault-index.ts'
import { useFaultTitle } from '../faults/fault-title.ts'
import { faultTexts } from '../faults/texts.ts'
import type { PlanMark } from '../plan/marks.tsx'

export interface RoomFaults extends FaultIndex {
  /** The marks of the rooms, by the id of the room. */
  marks: ReadonlyMap<string, PlanMark>
}

/** The given faults, or the active faults if none are given, and a mark for each room that has faults. */
export function useFaultMarks(given?: readonly FaultRecord[]): RoomFaults {
  const t = useTexts(shellTexts)
  const fault = useTexts(faultTexts)
  const model = useBuildingData()
  const { spaces } = model
  const current = useFaultIndex()
  const index = useMemo(() => (given ? faultIndex(given, model) : current), [given, model, current])
  const titleOf = useFaultTitle()
  return useMemo(() => {
    const marks = new Map<string, PlanMark>()
    for (const { id } of index.all.length === 0 ? [] : spaces) {
      const found = index.at(id)
      const mark = faultMark(found)
      if (!mark) continue
      const titles = found.map(({ title, state }) =>
        state === 'open' ? titleOf(title) : `${titleOf(title)} (${fault('acknowledged').toLowerCase()})`,
      )
      marks.set(id, { kind: 'fault', label: `${t('fault')}: ${titles.join(', ')}`, fault: mark })
    }
    return { ...index, marks }
  }, [index, spaces, t, fault, titleOf])
}
