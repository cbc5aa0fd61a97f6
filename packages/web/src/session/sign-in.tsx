import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loading } from '../ui/spinner.tsx'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'
import { type Opening, openSession, type SignInOptions } from './open-session.ts'
import type { Ending } from './session.ts'
import { SessionContext, SessionEndContext } from './session-context.ts'
import { SessionEnded } from './session-ended.tsx'

/** One for the page, however often it is drawn: a code and a refresh token are good for one use. */
let opening: Promise<Opening> | undefined

/** Shows what is inside to those who are signed in, and sends all others to the provider. */
export function SignIn({ issuer, clientId, children }: SignInOptions & { children: ReactNode }): ReactNode {
  const t = useWords(webWords)
  const [found, setFound] = useState<Opening>()
  const [ending, setEnding] = useState<Ending>()
  const [isAsking, setIsAsking] = useState(true)
  const end = useMemo(() => (ending === 'refused' ? { remind: () => setIsAsking(true) } : undefined), [ending])
  useEffect(() => {
    opening ??= openSession({ issuer, clientId })
    void opening.then(setFound)
  }, [issuer, clientId])
  useEffect(() => {
    if (found?.state !== 'signed-in') return
    const { session } = found
    return session.onToken(() => setEnding(session.ending))
  }, [found])
  useEffect(() => {
    // A page that the browser kept as it was, and shows again on the way back: what it knows may be over.
    const comeBack = ({ persisted }: PageTransitionEvent) => persisted && location.reload()
    addEventListener('pageshow', comeBack)
    return () => removeEventListener('pageshow', comeBack)
  }, [])

  const again = <Button kind="primary" onClick={() => location.reload()} label={t('signIn')} />
  if (ending === 'signed-out') {
    return <Notice title={t('signedOut')} text={t('signedOutElsewhereText')} action={again} />
  }
  switch (found?.state) {
    case undefined:
    case 'leaving':
      return <Loading text={t('signingIn')} />
    case 'signed-in':
      return (
        <SessionContext value={found.session}>
          <SessionEndContext value={end}>
            {end ? <SessionEnded isAsking={isAsking} onStay={() => setIsAsking(false)} /> : null}
            {children}
          </SessionEndContext>
        </SessionContext>
      )
    case 'signed-out':
      return <Notice title={t('signedOut')} text={t('signedOutText')} action={again} />
    case 'trouble':
      return <Trouble {...found} action={again} />
  }
}

const TROUBLES = {
  none: ['signInNone', 'signInNoneText'],
  refused: ['signInRefused', 'signInRefusedText'],
  unreachable: ['signInUnreachable', 'signInUnreachableText'],
} as const

function Trouble(props: { reason: keyof typeof TROUBLES; detail?: string; action: ReactNode }): ReactNode {
  const t = useWords(webWords)
  const [title, text] = TROUBLES[props.reason]
  return (
    <Notice title={t(title)} text={t(text)} action={props.reason === 'none' ? null : props.action}>
      {props.detail === undefined ? null : <code className="st-quiet">{props.detail}</code>}
    </Notice>
  )
}

function Notice(props: { title: string; text: string; action: ReactNode; children?: ReactNode }): ReactNode {
  return (
    <main className="st-alone">
      <EmptyState level={1} icon="mark" title={props.title} text={props.text} action={props.action}>
        {props.children}
      </EmptyState>
    </main>
  )
}
