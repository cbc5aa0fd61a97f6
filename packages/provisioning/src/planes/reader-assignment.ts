import type { Database } from '@storey/kit/database'
import type { ReaderAssignment } from '../mqtt/index.ts'
import { assignReaders, releaseReaders } from './reader-assignment.store.ts'

export interface ReaderAssignmentOptions {
  control: Database
  planeId: string
  /** Stays the same while other control planes count this one as alive; undefined if they may count it as ended. */
  aliveEpoch(): number | undefined
  /** A control plane that has not reported for this long counts as ended. Other control planes get its assignments. */
  aliveMs?: number
}

const ALIVE_MS = 5_000

/**
 * The sandboxes whose messages this control plane reads from an external MQTT broker. A control plane that was frozen
 * has no assignments when it runs again, until it has asked the database again.
 */
export function createReaderAssignment(options: ReaderAssignmentOptions): ReaderAssignment {
  const { control, planeId, aliveEpoch, aliveMs = ALIVE_MS } = options
  let assigned: ReadonlySet<string> = new Set()
  let epoch: number | undefined
  return {
    async assign(sandboxIds) {
      const asked = aliveEpoch()
      const ids = asked === undefined ? [] : await assignReaders(control, { planeId, aliveMs, sandboxIds })
      assigned = new Set(ids)
      epoch = asked
      return assigned
    },
    async release(sandboxIds) {
      await releaseReaders(control, planeId, sandboxIds)
    },
    isAssigned: (sandboxId) => epoch !== undefined && epoch === aliveEpoch() && assigned.has(sandboxId),
  }
}
