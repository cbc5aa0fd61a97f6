import type { ReactNode } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'

export function Spinner(): ReactNode {
  return <span className="st-spinner" aria-hidden="true" />
}

/** Shown while something loads. It appears after a short delay, because most responses arrive sooner. */
export function Loading({ text }: { text?: string }): ReactNode {
  const t = useTexts(webTexts)
  return (
    <div className="st-loading" role="status">
      <Spinner />
      <span>{text ?? t('loading')}</span>
    </div>
  )
}
