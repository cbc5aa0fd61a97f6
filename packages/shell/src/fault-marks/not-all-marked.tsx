import { Note, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { faultTexts } from '../faults/texts.ts'
import { useFaultCounts, useFaultIndex } from './use-fault-index.ts'

/** Shown if the building has more active faults than are marked. */
export function NotAllMarked(): ReactNode {
  const t = useTexts(faultTexts)
  const marked = useFaultIndex().all.length
  const total = useFaultCounts()?.total ?? 0
  return total > marked ? <Note tone="warn">{t('notAllMarked', { n: marked, total })}</Note> : null
}
