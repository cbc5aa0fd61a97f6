import type { PointNode } from '@storey/sdk'
import { Link, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { shellWords } from '../app/words.ts'
import { LiveValue } from './live-value.tsx'
import styles from './points.module.css'

const MOST = 12
/** What is measured comes before what is commanded and set. */
const ORDER = ['SENSOR', 'STATUS', 'ALARM', 'SETPOINT', 'COMMAND', 'PARAMETER']

/** Points with their values and ages, in short. */
export function PointList({ points }: { points: readonly PointNode[] }): ReactNode {
  const t = useWords(shellWords)
  if (points.length === 0) return <p className="st-quiet">{t('noPoints')}</p>
  const ordered = points.toSorted((a, b) => ORDER.indexOf(a.pointType) - ORDER.indexOf(b.pointType))
  const rest = ordered.length - MOST
  return (
    <>
      <ul className={styles.list}>
        {ordered.slice(0, MOST).map((point) => (
          <li key={point.id}>
            <Link to={`/points/${point.id}`}>{point.name}</Link>
            <LiveValue point={point} />
          </li>
        ))}
      </ul>
      {rest > 0 ? <p className="st-quiet">{t('morePoints', { n: rest })}</p> : null}
    </>
  )
}
