import { ButtonLink, EmptyState, useWords } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { usePageTitle } from '../app/page-title.ts'
import { sandboxWords } from './sandbox-words.ts'

/** In the place of every page of a sandbox that is not there, or no longer. */
export function GonePage(): ReactNode {
  const t = useWords(sandboxWords)
  usePageTitle(t('gone'))
  const main = useRef<HTMLElement>(null)
  // What somebody was at may have gone with the sandbox.
  useEffect(() => {
    if (document.activeElement === document.body) main.current?.focus()
  }, [])
  return (
    <main ref={main} id="main" className="st-page" tabIndex={-1}>
      <EmptyState
        level={1}
        icon="search"
        title={t('gone')}
        text={t('goneText')}
        action={<ButtonLink to="/" label={t('toList')} kind="primary" />}
      />
    </main>
  )
}
