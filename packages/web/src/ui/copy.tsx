import { type ReactNode, useEffect, useState } from 'react'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'
import { Button } from './button.tsx'

const SHOWN_MS = 2000

/** Copies a text, and says so. */
export function CopyButton({
  text,
  label,
  kind = 'quiet',
}: {
  text: string
  label?: string
  kind?: 'quiet' | 'plain' | 'primary'
}): ReactNode {
  const t = useWords(webWords)
  const [last, setLast] = useState<{ text: string; outcome: 'copied' | 'copyFailed' }>()
  useEffect(() => {
    if (last === undefined) return
    const timer = setTimeout(() => setLast(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [last])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setLast({ text, outcome: 'copied' }),
      () => setLast({ text, outcome: 'copyFailed' }),
    )
  // Another text in the same place has not been copied.
  const outcome = last?.text === text ? last.outcome : undefined
  return (
    <>
      <Button
        label={outcome ? t(outcome) : (label ?? t('copy'))}
        icon={outcome === 'copied' ? 'check' : 'copy'}
        kind={kind}
        small
        onClick={copy}
      />
      <span className="st-unseen" role="status">
        {outcome ? t(outcome) : ''}
      </span>
    </>
  )
}

interface CodeProps {
  text: string
  /** Shown in place of the text, which is still what is copied. */
  shown?: string
  title?: string
  actions?: ReactNode
}

/** Lines to copy. */
export function Code({ text, shown, title, actions }: CodeProps): ReactNode {
  return (
    <figure className="st-code">
      <figcaption>
        <span>{title}</span>
        {actions}
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{shown ?? text}</code>
      </pre>
    </figure>
  )
}

/** A secret, hidden until it is asked for. */
export function Secret({
  text,
  label,
  isShownFirst = false,
}: {
  text: string
  label: string
  isShownFirst?: boolean
}): ReactNode {
  const t = useWords(webWords)
  const [isShown, setIsShown] = useState(isShownFirst)
  return (
    <span className="st-secret">
      <code>{isShown ? text : '•'.repeat(24)}</code>
      <span className="st-row">
        <Button
          label={isShown ? t('hide') : t('show')}
          aria-label={`${isShown ? t('hide') : t('show')}: ${label}`}
          icon="eye"
          kind="quiet"
          small
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        />
        <CopyButton text={text} />
      </span>
    </span>
  )
}
