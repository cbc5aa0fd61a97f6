/**
 * Whether a request with this Origin header is accepted. A request without the header is accepted too, since no page of
 * another origin could read its response.
 */
export type Origins = (header: string | undefined) => boolean

/** `others` is the setting CORS_ORIGINS. Origins are compared as text: browsers write them in one form only. */
export function createOrigins(apiUrl: string, others: readonly string[]): Origins {
  const allowed = new Set([new URL(apiUrl).origin, ...others])
  // The origin of opaque pages (RFC 6454). No setting may allow it.
  allowed.delete('null')
  return (header) => header === undefined || allowed.has(header)
}
