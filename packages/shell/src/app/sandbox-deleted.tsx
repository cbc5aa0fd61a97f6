import { ButtonLink, EmptyState, useTexts, useTitle } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from './texts.ts'

/** Shown when `/config.json` answers 404, because the sandbox was deleted or has expired. */
export function SandboxDeleted({ portalUrl }: { portalUrl: string | undefined }): ReactNode {
  const t = useTexts(shellTexts)
  useTitle(t('deleted'))
  return (
    <main className="st-standalone">
      <EmptyState
        level={1}
        icon="trash"
        title={t('deleted')}
        text={t('deletedText')}
        action={portalUrl === undefined ? null : <ButtonLink to={portalUrl} label={t('toPortal')} kind="primary" />}
      />
    </main>
  )
}
