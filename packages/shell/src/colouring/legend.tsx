import type { SpaceNode } from '@storey/sdk'
import { useFormat, useWords } from '@storey/web'
import { memo, type ReactNode, useMemo } from 'react'
import { shellWords } from '../app/words.ts'
import { ageText, useNow } from '../live/age.tsx'
import { useTextInWords } from '../live/text-in-words.ts'
import { withUnit } from './colour-picker.tsx'
import type { Colouring } from './colouring.ts'
import styles from './legend.module.css'
import { useChanges } from './use-changes.ts'

/** More letters than two lines hold: the rest is in the hint, and in the table. */
const LONG = 40

/** What the colours mean, and how many rooms of these have each. */
export const Legend = memo(function Legend(props: { colouring: Colouring; spaces: readonly SpaceNode[] }): ReactNode {
  const { colouring, spaces } = props
  const t = useWords(shellWords)
  const inWords = useTextInWords()
  const changes = useChanges(colouring)
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted anew as values change
  const shades = useMemo(() => colouring.legend(spaces), [colouring, spaces, changes])
  const plain = spaces.filter((space) => colouring.shadeOf(space) === undefined)
  const outside = plain.filter((space) => colouring.textOf(space) !== undefined).length
  const without = plain.length - outside
  return (
    <section className={styles.legend} aria-label={t('legend')}>
      <h2>{withUnit(colouring.title, colouring.unit)}</h2>
      <ul>
        {shades.map(({ key, label, color, count }) => (
          <li key={key} data-count={count}>
            <span className={styles.swatch} style={{ background: color }} />
            <span className={styles.label} title={label.length > LONG ? label : undefined}>
              {inWords(label)}
            </span>
            <span className={styles.count}>{count}</span>
          </li>
        ))}
        {outside > 0 ? <PlainLine label={t('outsideLegend')} count={outside} /> : null}
        {without > 0 ? <PlainLine label={t('noValue')} count={without} /> : null}
      </ul>
      {colouring.watch ? <Ages colouring={colouring} spaces={spaces} changes={changes} /> : null}
    </section>
  )
})

/** Rooms that have no colour. */
function PlainLine({ label, count }: { label: string; count: number }): ReactNode {
  return (
    <li data-count={count}>
      <span className={styles.swatch} />
      <span className={styles.label}>{label}</span>
      <span className={styles.count}>{count}</span>
    </li>
  )
}

function Ages(props: { colouring: Colouring; spaces: readonly SpaceNode[]; changes: number }): ReactNode {
  const { colouring, spaces, changes } = props
  const t = useWords(shellWords)
  const format = useFormat()
  const now = useNow()
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at anew as values change
  const [oldest, newest] = useMemo(() => {
    const moments = spaces.map((space) => colouring.atOf?.(space)).filter((at) => at !== undefined)
    return [Math.min(...moments), Math.max(...moments)]
  }, [colouring, spaces, changes])
  if (!Number.isFinite(newest)) return null
  const age = (at: number) => ageText(at, now, format)
  if (age(newest) === age(oldest)) return <p className={styles.ages}>{t('allOfAge', { age: age(newest) })}</p>
  return (
    <p className={styles.ages}>
      {t('newest', { age: age(newest) })}, {t('oldest', { age: age(oldest) })}
    </p>
  )
}
