import type { PointNode } from '@storey/sdk'
import { useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { mayBeBinary } from '../charts/line.ts'
import { Age } from '../live/age.tsx'
import { useValueFormat } from '../live/format-value.ts'
import { useReading } from '../live/live.tsx'
import { useRuleBounds } from '../live/rule-bounds.tsx'
import { useVisibleText } from '../live/visible-text.ts'
import styles from './points.module.css'

/** The latest value of a point and its age. */
export function LiveValue({ point }: { point: PointNode }): ReactNode {
  const reading = useReading(point.id)
  return (
    <span className={styles.live}>
      <ValueText point={point} />
      <small className="st-quiet">
        <Age at={reading?.at} />
      </small>
    </span>
  )
}

/** The latest value without its age. */
export function ValueText({ point }: { point: PointNode }): ReactNode {
  return <GivenValue point={point} value={useReading(point.id)?.value} />
}

interface GivenValueProps {
  point: PointNode
  value: string | undefined
  /** The text after the unit, such as “per hour”. */
  per?: string | undefined
}

/** A value of a point. A long text is cut off; the page of the point shows all of it. */
export function GivenValue({ point, value, per = '' }: GivenValueProps): ReactNode {
  const text = `${useValueText(point, value)}${value === undefined ? '' : per}`
  return (
    <strong className={styles.text} data-point={point.id} title={text.length > MAX_LENGTH ? text : undefined}>
      {text}
    </strong>
  )
}

/** Longer texts get a tooltip. */
const MAX_LENGTH = 20

/** The text of a value: yes and no for a binary point. */
export function useValueText(point: PointNode, value: string | undefined): string {
  const t = useTexts(shellTexts)
  const format = useValueFormat()
  const boundsOf = useRuleBounds()
  const visibleText = useVisibleText()
  if (value === undefined) return '–'
  if (isBinary(point, value)) return value === '1' ? t('yes') : t('no')
  return visibleText(format.reading(value, point.unit, boundsOf(point)))
}

const isBinary = (point: PointNode, value: string) => mayBeBinary(point) && (value === '0' || value === '1')
