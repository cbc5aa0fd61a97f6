import type { PointNode } from '@storey/sdk'
import { useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { shellWords } from '../app/words.ts'
import { Age } from '../live/age.tsx'
import { useValueFormat, type ValueFormat } from '../live/format-value.ts'
import { useReading } from '../live/live.tsx'
import styles from './points.module.css'

/** The last value of a point, and how old it is. */
export function LiveValue({ point }: { point: PointNode }): ReactNode {
  const reading = useReading(point.id)
  const text = useValueText(point, reading?.value)
  return (
    <span className={styles.live}>
      <strong data-point={point.id}>{text}</strong>
      <small className="st-quiet">
        <Age at={reading?.at} />
      </small>
    </span>
  )
}

/** A state in words: what is 0 or 1 without a unit is off or on. */
export function useValueText(point: PointNode, value: string | undefined): string {
  const t = useWords(shellWords)
  const format = useValueFormat()
  if (value === undefined) return '–'
  return isSwitch(point, value) ? (value === '1' ? t('yes') : t('no')) : shown(point, value, format)
}

const isSwitch = ({ quantityKind, pointType }: PointNode, value: string) =>
  quantityKind === 'Dimensionless' && pointType !== 'PARAMETER' && (value === '0' || value === '1')

const shown = (point: PointNode, value: string, format: ValueFormat) => format.reading(value, point.unit)
