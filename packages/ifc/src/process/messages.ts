import type { IfcElement, IfcModel, IfcSpace, IfcStorey, LeftOut } from '../model.ts'
import type { DrawnRoom } from '../outline/draw-room.ts'

/** The task of a process that reads a file. */
export interface Task {
  path: string
  memoryMb: number
  /**
   * The index of the first room to draw, if an earlier process reported the structure, but then crashed or was killed:
   * the new process reports only outlines. Null if the structure is still to be reported.
   */
  drawFrom: number | null
}

/**
 * The messages of a process that reads a file. Long lists come in batches, so that the receiver is never busy for long.
 * `opened`: web-ifc has opened the file, and a `room` follows for each room to draw. The final message is `done`,
 * `refused` or `failed` (an unexpected error, with its stack trace): after it the process waits to be killed.
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
  | { kind: 'refused'; message: string }
  | { kind: 'failed'; stack: string }
