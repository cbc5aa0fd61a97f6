/** Whether a request with this Origin header may come in. Without the header it comes from no browser page. */
export type Origins = (header: string | undefined) => boolean

/** Compared as texts: a browser has one way to write an origin, and whoever writes another is not meant. */
export function createOrigins(apiUrl: string, others: readonly string[]): Origins {
  const allowed = new Set([new URL(apiUrl).origin, ...others])
  // What a page without an origin of its own sends: no setting can mean it.
  allowed.delete('null')
  return (header) => header === undefined || allowed.has(header)
}
