import { StoreyError, UnreachableError } from '@storey/sdk'
import type { ReactNode } from 'react'
import { SessionOver } from '../session/session.ts'
import { useSessionEnd } from '../session/session-context.ts'
import { adviceWords } from '../words/advice-words.ts'
import { useLocale } from '../words/locale.ts'
import { problemText, problemTitle } from '../words/problem-titles.ts'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface ErrorPanelProps {
  /** Whatever was thrown; nothing is shown for undefined. */
  error: unknown
  /** What to do about it, where this place knows better than the code of the problem. */
  advice?: string | undefined
  onRetry?: (() => void) | undefined
}

/** What went wrong, as the service said it, and what to do. */
export function ErrorPanel({ error, advice, onRetry }: ErrorPanelProps): ReactNode {
  const t = useWords(webWords)
  const advise = useWords(adviceWords)
  const locale = useLocale()
  const end = useSessionEnd()
  if (error === undefined || error === null) return null
  const isRefusal = error instanceof StoreyError
  // The page says so itself, once for all.
  if (end && (error instanceof SessionOver || (isRefusal && error.status === 401))) return null
  const title = isRefusal
    ? problemTitle(error.problem, locale)
    : error instanceof UnreachableError
      ? t('unreachable')
      : t('unexpected')
  const text = isRefusal
    ? problemText(error.problem, locale)
    : error instanceof UnreachableError
      ? t('unreachableText')
      : String((error as Error).message ?? error)
  const hint =
    advice ??
    (isRefusal && error.code in adviceWords.en ? advise(error.code as keyof typeof adviceWords.en) : undefined)
  return (
    <div className="st-problem" role="alert">
      <Icon name="warning" />
      <div className="st-stack">
        <strong>{title}</strong>
        <p>{text}</p>
        {isRefusal ? <Fields error={error} /> : null}
        {hint === undefined ? null : <p>{hint}</p>}
        {isRefusal ? (
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

/** Each field that was refused, unless the text has said so. */
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
