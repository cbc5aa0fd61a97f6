const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Anything else in the place of an id names nothing, and must not reach the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
