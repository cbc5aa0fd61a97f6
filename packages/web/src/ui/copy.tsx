import { type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { Button } from './button.tsx'

const SHOWN_MS = 2000

/** Copies a text and confirms it. */
export function CopyButton({
  text,
  label,
  kind = 'quiet',
}: {
  text: string
  label?: string
  kind?: 'quiet' | 'plain' | 'primary'
}): ReactNode {
  const t = useTexts(webTexts)
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
  // When the text changes, the confirmation no longer applies.
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
      <span className="st-visually-hidden" role="status">
        {outcome ? t(outcome) : ''}
      </span>
    </>
  )
}

interface CodeProps {
  text: string
  /** Shown instead of `text`; the button still copies `text`. */
  shown?: string
  title?: string
  actions?: ReactNode
}

/** A code block with a copy button. */
export function Code({ text, shown, title, actions }: CodeProps): ReactNode {
  return (
    <figure className="st-code">
      <figcaption>
        <span>{title}</span>
        {actions}
        <CopyButton text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{shown ?? text}</code>
      </pre>
    </figure>
  )
}

/** A secret, hidden until the user shows it. */
export function Secret({
  text,
  label,
  isInitiallyShown = false,
}: {
  text: string
  label: string
  isInitiallyShown?: boolean
}): ReactNode {
  const t = useTexts(webTexts)
  const [isShown, setIsShown] = useState(isInitiallyShown)
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
