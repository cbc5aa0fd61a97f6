import { problems, type QueueReport } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { type Database, TIME_LIMITS, type Tx } from '@storey/kit/database'
import { createEditMemories, type EditPurpose } from './edit-memory.ts'
import { lockBuilding, readHead } from './graph-edit.store.ts'
import { GraphEdit } from './graph-edit.ts'

/** Access to the graphs of a stack's buildings. */
export interface GraphAccess {
  /**
   * Runs an edit in a transaction that locks the building. Throws NOT_FOUND if there is no such building. The purpose is
   * a request, if none is given.
   */
  change<T>(buildingId: string, work: (edit: GraphEdit) => Promise<T>, purpose?: EditPurpose): Promise<T>
  /** Runs an edit that is never written and takes no lock. */
  preview<T>(buildingId: string, work: (edit: GraphEdit) => Promise<T>): Promise<T>
  /** The large edits that wait for another one, and those that were refused. */
  report(): QueueReport
}

export function openGraph(db: Database, clock: Clock): GraphAccess {
  const memories = createEditMemories()

  /** Runs an edit, and releases its memory when `run` has ended its transaction. */
  async function edited<T>(
    { buildingId, purpose, readHeadOf }: EditStart,
    work: (edit: GraphEdit) => Promise<T>,
    run: (inTransaction: (tx: Tx) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    const memory = memories.of(purpose)
    try {
      return await run(async (tx) => {
        const head = await readHeadOf(tx, buildingId)
        if (!head) throw problems.notFound('building')
        return work(new GraphEdit(tx, buildingId, { head, now: clock.now(), memory }))
      })
    } finally {
      memory.release()
    }
  }

  return {
    change(buildingId, work, purpose = 'request') {
      const limits = purpose === 'import' ? TIME_LIMITS.long : undefined
      return edited({ buildingId, purpose, readHeadOf: lockBuilding }, work, (body) => db.transaction(body, limits))
    },
    preview: (buildingId, work) =>
      edited({ buildingId, purpose: 'request', readHeadOf: readHead }, work, (body) => db.snapshot(body)),
    report: memories.report,
  }
}

interface EditStart {
  buildingId: string
  purpose: EditPurpose
  readHeadOf: typeof lockBuilding
}
