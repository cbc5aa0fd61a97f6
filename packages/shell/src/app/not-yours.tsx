import { Button, EmptyState, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from './shell.ts'
import { shellWords } from './words.ts'

/** For an account of another tenant: it has signed in, and nothing here is for it. */
export function NotYours(): ReactNode {
  const t = useWords(shellWords)
  const { session } = useShell()
  const { email, name } = session.user
  return (
    <main className="st-alone">
      <EmptyState
        level={1}
        icon="key"
        title={t('notYours')}
        text={t('notYoursText', { email: email ?? name })}
        action={<Button kind="primary" label={t('signOutToChange')} onClick={() => void session.signOut()} />}
      />
    </main>
  )
}
