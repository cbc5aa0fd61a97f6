const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Anything else cannot be an id, and must not get to the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
