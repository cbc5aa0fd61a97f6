import type { Database, Migration, Tx } from '@storey/kit/database'
import { markBehind } from '../features/sandboxes/index.ts'

export interface MigrationScheduleOptions {
  control: Database
  migrations: readonly Migration[]
  isLeader(): boolean
  /** Throws if this control plane does not lead. Called in the transaction that changes rows. */
  fence?(tx: Tx): Promise<void>
}

/**
 * Schedules the migration of all databases with another schema version than this program, once each time this control
 * plane begins to lead. The leader starts the stacks, and a stack works only with the schema of its own version. So
 * while control planes of two versions serve during an update, the databases keep the version of the leader.
 */
export function createMigrationSchedule({ control, migrations, isLeader, fence }: MigrationScheduleOptions) {
  let isDone = false
  return {
    /** Call this when this control plane begins to lead. */
    leads(): void {
      isDone = false
    },
    async run(): Promise<void> {
      if (isDone || !isLeader()) return
      isDone = true
      try {
        await control.transaction(async (tx) => {
          await fence?.(tx)
          await markBehind(tx, migrations.length)
        })
      } catch (err) {
        isDone = false
        throw err
      }
    },
  }
}
