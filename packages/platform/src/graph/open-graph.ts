import { problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database, TimeLimits } from '@storey/kit/database'
import { lockBuilding, readHead } from './graph-edit.store.ts'
import { GraphEdit } from './graph-edit.ts'

/** Access to the graphs of a stack's buildings. */
export interface GraphAccess {
  /** Runs an edit in a transaction that locks the building. Throws NOT_FOUND if there is no such building. */
  change<T>(buildingId: string, work: (edit: GraphEdit) => Promise<T>, limits?: TimeLimits): Promise<T>
  /** Runs an edit that is never written and takes no lock. */
  preview<T>(buildingId: string, work: (edit: GraphEdit) => Promise<T>): Promise<T>
}

export function openGraph(db: Database, clock: Clock): GraphAccess {
  return {
    change: (buildingId, work, limits) =>
      db.transaction(async (tx) => {
        const head = await lockBuilding(tx, buildingId)
        if (!head) throw problems.notFound('building')
        return work(new GraphEdit(tx, buildingId, head, clock.now()))
      }, limits),
    preview: (buildingId, work) =>
      db.snapshot(async (tx) => {
        const head = await readHead(tx, buildingId)
        if (!head) throw problems.notFound('building')
        return work(new GraphEdit(tx, buildingId, head, clock.now()))
      }),
  }
}
