import { ButtonLink, EmptyState, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { usePageTitle } from './page-title.ts'
import { appTexts } from './texts.ts'

export function NotFoundPage(): ReactNode {
  const t = useTexts(appTexts)
  usePageTitle(t('notFound'))
  return (
    <main id="main" className="st-page" tabIndex={-1}>
      <EmptyState
        level={1}
        icon="search"
        title={t('notFound')}
        text={t('notFoundText')}
        action={<ButtonLink to="/" label={t('toSandboxes')} kind="primary" />}
      />
    </main>
  )
}
