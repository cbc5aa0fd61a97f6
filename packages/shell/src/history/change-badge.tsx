import { type Tone, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { type ChangeMark, MARK_SIGNS } from './node-changes.ts'
import { historyTexts } from './texts.ts'

const TONES: Record<ChangeMark, Tone> = { added: 'good', removed: 'bad', changed: 'warn' }

/** Added, removed or changed, with the same sign as on the plan. */
export function ChangeBadge({ mark }: { mark: ChangeMark }): ReactNode {
  const t = useTexts(historyTexts)
  return (
    <span className={`st-badge st-tone-${TONES[mark]}`}>
      <strong aria-hidden="true">{MARK_SIGNS[mark]}</strong>
      {t(mark)}
    </span>
  )
}
