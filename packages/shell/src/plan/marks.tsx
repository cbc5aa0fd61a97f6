import type { ReactNode } from 'react'
import type { FaultMark } from '../fault-marks/fault-index.ts'
import { SeverityMark } from '../fault-marks/severity-mark.tsx'
import type { RoomLayout } from './layout.ts'
import styles from './plan.module.css'

export type MarkKind = 'added' | 'removed' | 'changed' | 'fault'

/** Highlights a room by a sign, a label and, except for a fault, a pattern. */
export interface PlanMark {
  kind: MarkKind
  label: string
  /** The mark of the room's faults, if the room is highlighted because of them. */
  fault?: FaultMark | undefined
}

const SIGNS: Record<MarkKind, string> = { added: '+', removed: '−', changed: '≠', fault: '!' }
const ANGLES: Record<MarkKind, number> = { added: 45, removed: -45, changed: 0, fault: 90 }
/** A fault has no pattern, so that the colour of the room stays visible. */
const STRIPED: readonly MarkKind[] = ['added', 'removed', 'changed']
const patternId = (kind: MarkKind) => `plan-mark-${kind}`

export function MarkPatterns(): ReactNode {
  return (
    <defs>
      {STRIPED.map((kind) => (
        <pattern
          key={kind}
          id={patternId(kind)}
          width="1"
          height="1"
          patternUnits="userSpaceOnUse"
          patternTransform={`rotate(${ANGLES[kind]})`}
        >
          <rect className={styles.stripe} data-mark={kind} width="0.3" height="1" />
        </pattern>
      ))}
    </defs>
  )
}

/** The sign is in a corner of the label area and has the same size at any scale. */
export function RoomMark({ room, mark }: { room: RoomLayout; mark: PlanMark | undefined }): ReactNode {
  if (!mark) return null
  const { x, y, width, height } = room.labelArea
  return (
    <g className={styles.mark} data-mark={mark.kind}>
      {STRIPED.includes(mark.kind) ? <path d={room.path} fill={`url(#${patternId(mark.kind)})`} /> : null}
      <g transform={`translate(${x - width / 2} ${y - height / 2})`}>
        {mark.fault ? (
          <g className={styles.faultSign}>
            <SeverityMark {...mark.fault} />
          </g>
        ) : (
          <g className={styles.sign}>
            <circle />
            <text>{SIGNS[mark.kind]}</text>
          </g>
        )}
      </g>
    </g>
  )
}
