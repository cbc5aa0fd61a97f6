import type { PointNode } from '@storey/sdk'
import { Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import { LiveValue } from './live-value.tsx'
import styles from './points.module.css'

const MAX_POINTS = 12
const ORDER = ['SENSOR', 'STATUS', 'ALARM', 'SETPOINT', 'COMMAND', 'PARAMETER']

interface PointListProps {
  points: readonly PointNode[]
  /** Renders the value of a point, instead of the live value. */
  showValue?: ((point: PointNode) => ReactNode) | undefined
}

/** The points that the list shows: at most `MAX_POINTS`, sensors first. */
export const listedPoints = (points: readonly PointNode[]): PointNode[] =>
  points.toSorted((a, b) => ORDER.indexOf(a.pointType) - ORDER.indexOf(b.pointType)).slice(0, MAX_POINTS)

/** The first points of a room with their values and ages. */
export function PointList({ points, showValue }: PointListProps): ReactNode {
  const t = useTexts(shellTexts)
  if (points.length === 0) return <p className="st-quiet">{t('noPoints')}</p>
  const rest = points.length - MAX_POINTS
  return (
    <>
      <ul className={styles.list}>
        {listedPoints(points).map((point) => (
          <li key={point.id}>
            <span>
              <Link to={`/points/${point.id}`}>{point.name}</Link>
              {showValue ? null : (
                <>
                  {' '}
                  <NodeMark nodeId={point.id} />
                </>
              )}
            </span>
            {showValue ? showValue(point) : <LiveValue point={point} />}
          </li>
        ))}
      </ul>
      {rest > 0 ? <p className="st-quiet">{t('morePoints', { n: rest })}</p> : null}
    </>
  )
}
