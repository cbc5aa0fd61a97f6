import type { FaultRecord } from '@storey/sdk'
import { Link, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import type { BuildingModel } from '../building/model.ts'
import { type Signal, signalsOf } from '../colouring/signals.ts'
import { useFaultTitle } from '../faults/fault-title.ts'
import { replayAddress } from './replay-address.ts'
import { replayTexts } from './texts.ts'

/** The signals are cached by model, because a list of faults has many links, and all of them need the same signals. */
const signals = new WeakMap<BuildingModel, readonly Signal[]>()

/** A link to the plan at the time of a fault. */
export function ReplayLink({ fault }: { fault: FaultRecord }): ReactNode {
  const t = useTexts(replayTexts)
  const titleOf = useFaultTitle()
  const model = useBuildingData()
  const to = useMemo(() => {
    const known = signals.get(model) ?? signalsOf(model)
    signals.set(model, known)
    return replayAddress(model, known, fault)
  }, [model, fault])
  if (to === undefined) return null
  return (
    <Link to={to} aria-label={t('onPlanOf', { title: titleOf(fault.title) })}>
      {t('onPlan')}
    </Link>
  )
}
