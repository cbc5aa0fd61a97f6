const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether a text is a UUID. Any other text is not an id, and must not be sent to the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
