/**
 * Reads the object id of the current database. This id identifies the database, because a server assigns billions of
 * other ids before it assigns the same id again.
 */
export const DATABASE_OID = 'select oid::text from pg_database where datname = current_database()'

/** Returns a function that throws if a new connection has read another object id than the first connection. */
export function createReplacedCheck(onReplaced: () => void): (oid: string) => void {
  let first: string | undefined
  let isReported = false
  return (oid) => {
    first ??= oid
    if (oid === first) return
    if (!isReported) {
      isReported = true
      onReplaced()
    }
    throw new Error('the database was replaced by another one of the same name')
  }
}
