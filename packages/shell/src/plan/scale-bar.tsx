import { useLocale, useTexts } from '@storey/web'
import { type ReactNode, type RefObject, useImperativeHandle, useRef } from 'react'
import { shellTexts } from '../app/texts.ts'
import { barLength } from './bar-length.ts'
import styles from './plan.module.css'

export interface ScaleBarControl {
  show(pixelsPerMetre: number): void
}

/** The direction of north, which is up on every plan, and a bar with its length in metres at the current scale. */
export function ScaleBar({ control }: { control: RefObject<ScaleBarControl | null> }): ReactNode {
  const t = useTexts(shellTexts)
  const locale = useLocale()
  const bar = useRef<HTMLSpanElement>(null)
  const text = useRef<HTMLSpanElement>(null)
  useImperativeHandle(
    control,
    () => ({
      show(pixelsPerMetre) {
        if (!bar.current || !text.current) return
        const metres = barLength(pixelsPerMetre)
        bar.current.style.width = `${metres * pixelsPerMetre}px`
        text.current.textContent = `${new Intl.NumberFormat(locale).format(metres)} ${locale === 'ru' ? 'м' : 'm'}`
      },
    }),
    [locale],
  )
  return (
    <div className={styles.scale}>
      <svg viewBox="0 0 16 24" width="16" height="24" role="img" aria-label={t('northUp')}>
        <path d="M8 1 13 14 8 11 3 14z" />
        <text x="8" y="23">
          {t('north')}
        </text>
      </svg>
      <span className={styles.bar} ref={bar}>
        <span ref={text} />
      </span>
    </div>
  )
}
