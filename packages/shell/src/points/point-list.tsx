import type { PointNode } from '@storey/sdk'
import { Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { LiveValue } from './live-value.tsx'
import styles from './points.module.css'

const MAX_POINTS = 12
/** Sensors first. */
const ORDER = ['SENSOR', 'STATUS', 'ALARM', 'SETPOINT', 'COMMAND', 'PARAMETER']

/** The first points of a room with their values and ages. */
export function PointList({ points }: { points: readonly PointNode[] }): ReactNode {
  const t = useTexts(shellTexts)
  if (points.length === 0) return <p className="st-quiet">{t('noPoints')}</p>
  const ordered = points.toSorted((a, b) => ORDER.indexOf(a.pointType) - ORDER.indexOf(b.pointType))
  const rest = ordered.length - MAX_POINTS
  return (
    <>
      <ul className={styles.list}>
        {ordered.slice(0, MAX_POINTS).map((point) => (
          <li key={point.id}>
            <span>
              <Link to={`/points/${point.id}`}>{point.name}</Link> <NodeMark nodeId={point.id} />
            </span>
            <LiveValue point={point} />
          </li>
        ))}
      </ul>
      {rest > 0 ? <p className="st-quiet">{t('morePoints', { n: rest })}</p> : null}
    </>
  )
}
