import type { ReactNode } from 'react'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'

export function Spinner(): ReactNode {
  return <span className="st-spinner" aria-hidden="true" />
}

/** In the place of something that is on its way. It shows after a moment only: most answers are faster. */
export function Loading({ text }: { text?: string }): ReactNode {
  const t = useWords(webWords)
  return (
    <div className="st-loading" role="status">
      <Spinner />
      <span>{text ?? t('loading')}</span>
    </div>
  )
}
