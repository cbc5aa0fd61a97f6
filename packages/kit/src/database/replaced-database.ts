/** A server assigns billions of other object ids before it assigns one again. */
export const DATABASE_OID = 'select oid::text from pg_database where datname = current_database()'

/** Returns a check for the object id that a new connection reads, which throws if it is not that of the first connection. */
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
