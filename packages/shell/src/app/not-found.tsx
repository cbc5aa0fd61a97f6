import { MODULE_ROUTE } from '@storey/contract'
import { ButtonLink, EmptyState, usePath, useTexts, useTitle } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from './shell.ts'
import { shellTexts } from './texts.ts'

/** Shown for an unknown path, and with a specific `title` for a room, element or point that does not exist. */
export function NotFound({ title }: { title?: string }): ReactNode {
  const t = useTexts(shellTexts)
  const heading = title ?? t('notFound')
  const { config } = useShell()
  const isModule = usePath().startsWith(MODULE_ROUTE) && config.moduleRoute === 'off'
  useTitle(heading)
  return (
    <main id="main" className="st-page" tabIndex={-1}>
      <EmptyState
        level={1}
        icon="search"
        title={heading}
        text={t(isModule ? 'modulesOff' : 'notFoundText')}
        action={<ButtonLink to="/" label={t('toBuilding')} kind="primary" />}
      />
    </main>
  )
}
