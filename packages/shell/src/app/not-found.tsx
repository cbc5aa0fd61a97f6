import { ButtonLink, EmptyState, Page, useTitle, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { shellWords } from './words.ts'

/** Also for a room or a point that is gone: `title` says which. */
export function NotFound({ title }: { title?: string }): ReactNode {
  const t = useWords(shellWords)
  const heading = title ?? t('notFound')
  useTitle(heading)
  return (
    <Page title={heading}>
      <EmptyState
        icon="search"
        title={heading}
        text={t('notFoundText')}
        action={<ButtonLink to="/" label={t('toBuilding')} kind="primary" />}
      />
    </Page>
  )
}
