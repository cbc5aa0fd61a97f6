import type { PointNode } from '@storey/sdk'
import { useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { shellWords } from '../app/words.ts'
import { mayBeSwitch } from '../charts/line.ts'
import { Age } from '../live/age.tsx'
import { useValueFormat, type ValueFormat } from '../live/format-value.ts'
import { useReading } from '../live/live.tsx'
import { useTextInWords } from '../live/text-in-words.ts'
import styles from './points.module.css'

/** The last value of a point, and how old it is. */
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

/** The last value by itself. Of a long text the beginning is seen: the page of the point has all of it. */
export function ValueText({ point }: { point: PointNode }): ReactNode {
  const text = useValueText(point, useReading(point.id)?.value)
  return (
    <strong className={styles.text} data-point={point.id} title={text.length > LONG ? text : undefined}>
      {text}
    </strong>
  )
}

/** More letters than a line of a list holds. */
const LONG = 20

/** A state in words: what is 0 or 1 without a unit is off or on. */
export function useValueText(point: PointNode, value: string | undefined): string {
  const t = useWords(shellWords)
  const format = useValueFormat()
  const inWords = useTextInWords()
  if (value === undefined) return '–'
  return isSwitch(point, value) ? (value === '1' ? t('yes') : t('no')) : inWords(shown(point, value, format))
}

const isSwitch = (point: PointNode, value: string) => mayBeSwitch(point) && (value === '0' || value === '1')

const shown = (point: PointNode, value: string, format: ValueFormat) => format.reading(value, point.unit)
