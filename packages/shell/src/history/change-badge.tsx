import { type Tone, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { type ChangeMark, MARK_SIGNS } from './node-changes.ts'
import { historyWords } from './words.ts'

const TONES: Record<ChangeMark, Tone> = { added: 'good', removed: 'bad', changed: 'warn' }

/** What became of a node, with the sign that it has on the plan and in its legend. */
export function ChangeBadge({ mark }: { mark: ChangeMark }): ReactNode {
  const t = useWords(historyWords)
  return (
    <span className={`st-badge st-tone-${TONES[mark]}`}>
      <strong aria-hidden="true">{MARK_SIGNS[mark]}</strong>
      {t(mark)}
    </span>
  )
}
