import type { SpaceNode } from '@storey/sdk'
import { useFormat, useTexts } from '@storey/web'
import { memo, type ReactNode, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { ageText } from '../live/age.tsx'
import { useNow } from '../live/now.ts'
import { useVisibleText } from '../live/visible-text.ts'
import { withUnit } from './colour-picker.tsx'
import type { Colouring } from './colouring.ts'
import styles from './legend.module.css'
import { useChangeCount } from './use-change-count.ts'

/** Longer labels get a tooltip, because the style cuts off labels of more than two lines. */
const MAX_LABEL_LENGTH = 40

/** The meaning of the colours, with the number of rooms for each. */
export const Legend = memo(function Legend(props: { colouring: Colouring; spaces: readonly SpaceNode[] }): ReactNode {
  const { colouring, spaces } = props
  const t = useTexts(shellTexts)
  const visibleText = useVisibleText()
  const changes = useChangeCount(colouring)
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts again when values change
  const shades = useMemo(() => colouring.legend(spaces), [colouring, spaces, changes])
  const uncoloured = spaces.filter((space) => colouring.shadeOf(space) === undefined)
  const outside = uncoloured.filter((space) => colouring.textOf(space) !== undefined).length
  const without = uncoloured.length - outside
  return (
    <section className={styles.legend} aria-label={t('legend')}>
      <h2>{withUnit(colouring.title, colouring.unit)}</h2>
      <ul>
        {shades.map(({ key, label, color, count }) => (
          <li key={key} data-count={count}>
            <span className={styles.swatch} style={{ background: color }} />
            <span className={styles.label} title={label.length > MAX_LABEL_LENGTH ? label : undefined}>
              {visibleText(label)}
            </span>
            <span className={styles.count}>{count}</span>
          </li>
        ))}
        {outside > 0 ? <UncolouredEntry label={t('outsideLegend')} count={outside} /> : null}
        {without > 0 ? <UncolouredEntry label={t('noValue')} count={without} /> : null}
      </ul>
      {colouring.watch ? <Ages colouring={colouring} spaces={spaces} changes={changes} /> : null}
    </section>
  )
})

/** A legend entry for rooms without a colour. */
function UncolouredEntry({ label, count }: { label: string; count: number }): ReactNode {
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
  const t = useTexts(shellTexts)
  const format = useFormat()
  const now = useNow()
  // biome-ignore lint/correctness/useExhaustiveDependencies: recalculates when values change
  const [oldest, newest] = useMemo(() => {
    const times = spaces.map((space) => colouring.atOf?.(space)).filter((at) => at !== undefined)
    return [Math.min(...times), Math.max(...times)]
  }, [colouring, spaces, changes])
  if (!Number.isFinite(newest)) return null
  const age = (at: number) => ageText(at, now, format)
  if (age(newest) === age(oldest)) return <p className={styles.ages}>{t('measuredAge', { age: age(newest) })}</p>
  return (
    <p className={styles.ages}>
      {t('newest', { age: age(newest) })}, {t('oldest', { age: age(oldest) })}
    </p>
  )
}
