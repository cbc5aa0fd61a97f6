import type { IfcElement, IfcModel, IfcSpace, IfcStorey, LeftOut } from '../model.ts'
import type { DrawnRoom } from '../outline/draw-room.ts'

/** What the reading process is asked to do. */
export interface Task {
  path: string
  memoryMb: number
  /** A second process only draws: from this room on. */
  drawFrom: number | null
}

/**
 * What it tells while it works. Long lists come in pieces, so that the receiver is never busy for long. After one of
 * the last three the process has nothing more to say, and waits to be ended.
 */
export type Report =
  | { kind: 'head'; head: Pick<IfcModel, 'schema' | 'project' | 'site' | 'building'> }
  | { kind: 'storeys'; items: IfcStorey[] }
  | { kind: 'spaces'; items: IfcSpace[] }
  | { kind: 'elements'; items: IfcElement[] }
  | { kind: 'leftOut'; items: LeftOut[] }
  | { kind: 'structure-complete' }
  | { kind: 'opened' }
  | { kind: 'room'; room: DrawnRoom }
  | { kind: 'done' }
  | { kind: 'refused'; sentence: string }
  | { kind: 'failed' }
