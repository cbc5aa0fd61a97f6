/**
 * Whether a request with this Origin header is accepted. A request without the header is accepted too, since no page of
 * another origin could read its response.
 */
export type Origins = (header: string | undefined) => boolean

/** `others` is the setting CORS_ORIGINS. Origins are compared as text: browsers write them in one form only. */
export function createOrigins(apiUrl: string, others: readonly string[]): Origins {
  const allowed = new Set([new URL(apiUrl).origin, ...others])
  // Browsers send `null` for every opaque origin (RFC 6454), so no setting may allow it.
  allowed.delete('null')
  return (header) => header === undefined || allowed.has(header)
}
