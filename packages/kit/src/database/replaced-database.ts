import type { ClientBase } from 'pg'

const CHECK_LIMIT_MS = 15_000

/** A server assigns billions of other object ids before it assigns one again. */
const OID = 'select oid::text from pg_database where datname = current_database()'

/** Returns a check for new connections, which rejects if they lead to another database than the first one did. */
export function createReplacedCheck(onReplaced: () => void): (client: ClientBase) => Promise<void> {
  let first: string | undefined
  let isReported = false
  return async (client) => {
    const { rows } = await client.query({ text: OID, query_timeout: CHECK_LIMIT_MS } as { text: string })
    const { oid } = rows[0] as { oid: string }
    first ??= oid
    if (oid === first) return
    if (!isReported) {
      isReported = true
      onReplaced()
    }
    throw new Error('the database was replaced by another one of the same name')
  }
}
