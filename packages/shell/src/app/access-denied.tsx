import { Button, EmptyState, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from './shell.ts'
import { shellTexts } from './texts.ts'

/** Shown to a signed-in user whose account has no access to this building. */
export function AccessDenied(): ReactNode {
  const t = useTexts(shellTexts)
  const { session } = useShell()
  const { email, name } = session.user
  return (
    <main className="st-standalone">
      <EmptyState
        level={1}
        icon="key"
        title={t('accessDenied')}
        text={t('accessDeniedText', { email: email ?? name })}
        action={<Button kind="primary" label={t('signOutToChange')} onClick={() => void session.signOut()} />}
      />
    </main>
  )
}
