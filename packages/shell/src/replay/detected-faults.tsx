import { Link } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { SeverityMark } from '../fault-marks/severity-mark.tsx'
import { useFaultTitle } from '../faults/fault-title.ts'
import styles from './replay.module.css'
import type { ReplaySession } from './use-replay.ts'

/** Lists the faults that were detected in the frame. During playback it shows nothing. */
export function DetectedFaults({ session, frame }: { session: ReplaySession; frame: number }): ReactNode {
  const { detections, player } = session
  const { spaceOf } = useBuildingData()
  const titleOf = useFaultTitle()
  const here = player.isPlaying ? [] : detections.filter((one) => one.frame === frame)
  if (here.length === 0) return null
  return (
    <ul className={styles.detected} aria-live="polite">
      {here.map(({ fault }) => {
        const room = spaceOf(fault.pointId ?? fault.elementId ?? '')
        return (
          <li key={fault.id}>
            <SeverityMark severity={fault.severity} />
            {titleOf(fault.title)}
            {room ? <Link to={`/rooms/${room.id}`}>{room.name}</Link> : null}
          </li>
        )
      })}
    </ul>
  )
}
