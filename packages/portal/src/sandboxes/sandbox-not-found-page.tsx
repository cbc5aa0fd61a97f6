import { ButtonLink, EmptyState, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { usePageTitle } from '../app/page-title.ts'
import { sandboxTexts } from './sandbox-texts.ts'

/** Shown on all pages of a sandbox that does not exist or was deleted. */
export function SandboxNotFoundPage(): ReactNode {
  const t = useTexts(sandboxTexts)
  usePageTitle(t('notFound'))
  const main = useRef<HTMLElement>(null)
  // The element that had the focus may have been removed with the sandbox.
  useEffect(() => {
    if (document.activeElement === document.body) main.current?.focus()
  }, [])
  return (
    <main ref={main} id="main" className="st-page" tabIndex={-1}>
      <EmptyState
        level={1}
        icon="search"
        title={t('notFound')}
        text={t('notFoundText')}
        action={<ButtonLink to="/" label={t('toList')} kind="primary" />}
      />
    </main>
  )
}
