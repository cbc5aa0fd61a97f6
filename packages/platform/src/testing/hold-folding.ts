import { sql } from '@storey/kit/database'
import type { TestDatabase } from '@storey/kit/testing'

/** The count of a batch only counts towards limits. With this count, more bytes wait than may wait for folding. */
const TOO_MANY = 10_000_000

/**
 * Blocks folding by a long transaction, and stores an empty batch that counts so many bytes that ingest is held back.
 * The stack notices it at its next fold, or when it starts again.
 */
export async function holdFolding(database: TestDatabase['database']) {
  const [began, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = database.transaction(async (tx) => {
    await tx.run(sql`select pg_current_xact_id()`)
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
