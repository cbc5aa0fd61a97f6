import { ButtonLink, EmptyState, useTitle, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { shellWords } from './words.ts'

/** For a page that was open when its sandbox was deleted, or expired. */
export function Gone({ portalUrl }: { portalUrl: string | undefined }): ReactNode {
  const t = useWords(shellWords)
  useTitle(t('gone'))
  return (
    <main className="st-alone">
      <EmptyState
        level={1}
        icon="trash"
        title={t('gone')}
        text={t('goneText')}
        action={portalUrl === undefined ? null : <ButtonLink to={portalUrl} label={t('toPortal')} kind="primary" />}
      />
    </main>
  )
}
