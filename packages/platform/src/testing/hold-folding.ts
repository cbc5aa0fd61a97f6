import { sql } from '@storey/kit/database'
import type { TestDatabase } from '@storey/kit/testing'
import { COMPACTION_LOCK } from '../features/telemetry/compaction/compaction.store.ts'

/** The count of a batch only counts towards limits. With this count, more bytes wait than may wait for folding. */
const TOO_MANY = 10_000_000

/**
 * Blocks folding, as another process that folds does, and stores an empty batch that counts so many bytes that ingest is
 * held back. The stack notices it at its next fold, or when it starts again. A long transaction would block folding
 * too, but in all databases of the server, which other test files use.
 */
export async function holdFolding(database: TestDatabase['database']) {
  const [began, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = database.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(${COMPACTION_LOCK})`)
    await database.run(sql`
      insert into observation_batches (received_at, first_at, last_at, count, data)
      values (now(), '2020-01-01', '2020-01-01', ${TOO_MANY}, '')`)
    began.resolve()
    await over.promise
  })
  await Promise.race([began.promise, done])
  return {
    async release() {
      over.resolve()
      await done
    },
  }
}
