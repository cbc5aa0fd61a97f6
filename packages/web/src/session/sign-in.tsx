import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { LeaveDialog } from '../router/leave-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loading } from '../ui/spinner.tsx'
import { openSession, type SignInOptions, type SignInResult } from './open-session.ts'
import type { EndReason } from './session.ts'
import { SessionContext, SessionEndContext } from './session-context.ts'
import { SessionEnded } from './session-ended.tsx'

/** The session is opened once per page, not once per render, because an authorization code works only once. */
let opening: Promise<SignInResult> | undefined

/** Shows its children to a signed-in user. Sends other users to the provider, or shows why they are not signed in. */
export function SignIn({ config, children }: { config: SignInOptions; children: ReactNode }): ReactNode {
  const t = useTexts(webTexts)
  const [result, setResult] = useState<SignInResult>()
  const [endReason, setEndReason] = useState<EndReason>()
  const [isDialogOpen, setIsDialogOpen] = useState(true)
  const end = useMemo(
    () => (endReason === 'refused' ? { remind: () => setIsDialogOpen(true) } : undefined),
    [endReason],
  )
  useEffect(() => {
    opening ??= openSession(config)
    void opening.then(setResult)
  }, [config])
  useEffect(() => {
    if (result?.state !== 'signed-in') return
    const { session } = result
    return session.onToken(() => setEndReason(session.endReason))
  }, [result])
  useEffect(() => {
    // While the page was in the browser's back/forward cache, the session may have ended.
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && location.reload()
    addEventListener('pageshow', onPageShow)
    return () => removeEventListener('pageshow', onPageShow)
  }, [])

  const signIn = <Button kind="primary" onClick={() => location.reload()} label={t('signIn')} />
  if (endReason === 'signed-out') {
    return <Notice title={t('signedOut')} text={t('signedOutElsewhereText')} action={signIn} />
  }
  switch (result?.state) {
    case undefined:
    case 'redirecting':
      return <Loading text={t('signingIn')} />
    case 'signed-in':
      return (
        <SessionContext value={result.session}>
          <SessionEndContext value={end}>
            {end ? <SessionEnded isDialogOpen={isDialogOpen} onStay={() => setIsDialogOpen(false)} /> : null}
            {children}
            <LeaveDialog />
          </SessionEndContext>
        </SessionContext>
      )
    case 'signed-out':
      return <Notice title={t('signedOut')} text={t('signedOutText')} action={signIn} />
    case 'failed':
      return <SignInFailure {...result} action={signIn} />
  }
}

const FAILURE_TEXTS = {
  'no-provider': ['signInNoProvider', 'signInNoProviderText'],
  denied: ['signInDenied', 'signInDeniedText'],
  refused: ['signInRefused', 'signInRefusedText'],
  unreachable: ['signInUnreachable', 'signInUnreachableText'],
} as const

function SignInFailure(props: { reason: keyof typeof FAILURE_TEXTS; detail?: string; action: ReactNode }): ReactNode {
  const t = useTexts(webTexts)
  const [title, text] = FAILURE_TEXTS[props.reason]
  return (
    <Notice title={t(title)} text={t(text)} action={props.reason === 'no-provider' ? null : props.action}>
      {props.detail === undefined ? null : <code className="st-quiet">{props.detail}</code>}
    </Notice>
  )
}

function Notice(props: { title: string; text: string; action: ReactNode; children?: ReactNode }): ReactNode {
  return (
    <main className="st-standalone">
      <EmptyState level={1} icon="mark" title={props.title} text={props.text} action={props.action}>
        {props.children}
      </EmptyState>
    </main>
  )
}
