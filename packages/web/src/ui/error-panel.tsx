import { StoreyError, UnreachableError } from '@storey/sdk'
import { type ReactNode, useEffect, useState } from 'react'
import { adviceCodeOf, adviceTexts } from '../i18n/advice-texts.ts'
import { useLocale } from '../i18n/locale.ts'
import { problemText, problemTitle } from '../i18n/problem-titles.ts'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { OutdatedError } from '../queries/change-record.ts'
import { SessionEndedError } from '../session/session.ts'
import { useSessionEnd } from '../session/session-context.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface ErrorPanelProps {
  /** Any thrown value; undefined shows nothing. */
  error: unknown
  /** Overrides the advice for the problem code. */
  advice?: string | undefined
  onRetry?: (() => void) | undefined
}

/** Shows an error and what to do about it. */
export function ErrorPanel({ error, advice, onRetry }: ErrorPanelProps): ReactNode {
  const t = useTexts(webTexts)
  const advise = useTexts(adviceTexts)
  const locale = useLocale()
  const end = useSessionEnd()
  if (error === undefined || error === null) return null
  const isProblem = error instanceof StoreyError
  // `SignIn` already shows a notice that the session has ended.
  if (end && (error instanceof SessionEndedError || (isProblem && error.status === 401))) return null
  const title = isProblem
    ? problemTitle(error.problem, locale)
    : error instanceof UnreachableError
      ? t('unreachable')
      : error instanceof OutdatedError
        ? t('outdated')
        : t('unexpected')
  const text = isProblem
    ? problemText(error.problem, locale)
    : error instanceof UnreachableError
      ? t('unreachableText')
      : error instanceof OutdatedError
        ? t('outdatedText')
        : String((error as Error).message ?? error)
  const adviceCode = isProblem ? adviceCodeOf(error.problem) : undefined
  const hint = advice ?? (adviceCode === undefined ? undefined : advise(adviceCode))
  return (
    <div className="st-problem" role="alert">
      <Icon name="warning" />
      <div className="st-stack">
        <strong>{title}</strong>
        <p>{text}</p>
        {isProblem ? <Fields error={error} /> : null}
        {isProblem && error.code === 'RATE_LIMITED' && error.retryAfterSeconds !== undefined ? (
          <RetryTime error={error} afterSeconds={error.retryAfterSeconds} />
        ) : hint === undefined ? null : (
          <p>{hint}</p>
        )}
        {isProblem ? (
          <p className="st-quiet">
            <code>{error.code}</code>
            {error.requestId === undefined ? null : (
              <>
                {' · '}
                {t('requestId')} <code>{error.requestId}</code>
              </>
            )}
          </p>
        ) : null}
        {onRetry ? <Button label={t('tryAgain')} icon="reset" small onClick={onRetry} /> : null}
      </div>
    </div>
  )
}

/** Shows when a refused action can be tried again. */
function RetryTime({ error, afterSeconds }: { error: StoreyError; afterSeconds: number }): ReactNode {
  const t = useTexts(webTexts)
  const [seconds, setSeconds] = useState(afterSeconds)
  useEffect(() => {
    const until = timeOf(error) + afterSeconds * 1000
    const update = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1000)))
    update()
    const timer = setInterval(update, 250)
    return () => clearInterval(timer)
  }, [error, afterSeconds])
  if (seconds === 0) return <p>{t('tryNow')}</p>
  // The countdown is hidden from screen readers, which would otherwise announce each second.
  return (
    <p>
      <span className="st-visually-hidden">{t('mustWait')}</span>
      <span aria-hidden="true">{t('tryLater', { n: seconds })}</span>
    </p>
  )
}

const times = new WeakMap<object, number>()

/** When the error was first shown, so that the countdown does not start again when the panel is rendered again. */
function timeOf(error: object): number {
  const known = times.get(error) ?? Date.now()
  times.set(error, known)
  return known
}

/** The errors of single fields, except those whose text is already part of the detail of the problem. */
function Fields({ error }: { error: StoreyError }): ReactNode {
  const fields = (error.problem.errors ?? []).filter(({ detail }) => !error.problem.detail.includes(detail))
  if (fields.length === 0) return null
  return (
    <ul>
      {fields.map(({ pointer, detail }) => (
        <li key={pointer + detail}>
          <code>{pointer}</code> {detail}
        </li>
      ))}
    </ul>
  )
}
