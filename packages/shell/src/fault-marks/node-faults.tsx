import type { FaultRecord } from '@storey/sdk'
import { Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { faultPath } from '../faults/fault-path.ts'
import { FaultRequest } from '../faults/fault-request.tsx'
import { useFaultTitle } from '../faults/fault-title.ts'
import { faultTexts } from '../faults/texts.ts'
import { Age } from '../live/age.tsx'
import styles from './fault-marks.module.css'
import { SeverityMark } from './severity-mark.tsx'
import { useFaultIndex } from './use-fault-index.ts'

/** The active faults of a room, an element or a point, most urgent first. Without faults it shows nothing. */
export function NodeFaults({ nodeId }: { nodeId: string }): ReactNode {
  return <FaultItems faults={useFaultIndex().at(nodeId)} />
}

/** A list of faults, for example of those that were active at an earlier time. */
export function FaultItems({ faults }: { faults: readonly FaultRecord[] }): ReactNode {
  const shell = useTexts(shellTexts)
  const t = useTexts(faultTexts)
  const titleOf = useFaultTitle()
  const { spaceOf } = useBuildingData()
  if (faults.length === 0) return null
  return (
    <ul className={styles.faults} aria-label={shell('activeFaults')}>
      {faults.map((fault) => {
        const { id, severity, state, detectedAt } = fault
        const title = titleOf(fault.title)
        const room = spaceOf(fault.pointId ?? fault.elementId ?? '')?.name
        return (
          <li key={id}>
            <SeverityMark severity={severity} isAcknowledged={state === 'acknowledged'} size={18} />
            <span>
              <Link to={faultPath({ severity, state, title, room })}>{title}</Link>
              <small className="st-quiet">
                {t(severity)} · {t(state)} · <Age at={Date.parse(detectedAt)} />
              </small>
              {fault.request ? (
                <small>
                  <FaultRequest request={fault.request} />
                </small>
              ) : null}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
