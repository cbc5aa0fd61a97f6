const FETCH_LIMIT_MS = 5_000
/** The pause between two fetches while the provider is unreachable. */
const PAUSE_MS = 10_000
/** The endpoints to which pages send requests by script. Pages reach all other endpoints by navigation. */
const CALLED = ['token_endpoint', 'revocation_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const

/**
 * The origins to which pages connect for a sign-in: the origin of the issuer, and the origins of its endpoints, because
 * some providers have endpoints at other origins. The endpoints are read once, from the metadata of the provider. If
 * that fails, the metadata is read again when a page is served later. Nothing is read from the embedded provider,
 * because all its endpoints are at the origin of the service.
 */
export function createProviderOrigins(issuer: string | null, ownOrigin: string): () => readonly string[] {
  if (issuer === null) return () => []
  let origins: readonly string[] = [new URL(issuer).origin]
  let isKnown = origins.includes(ownOrigin)
  let triedAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    const address = `${issuer!.replace(/\/$/, '')}/.well-known/openid-configuration`
    const response = await fetch(address, { signal: AbortSignal.timeout(FETCH_LIMIT_MS), redirect: 'error' })
    const document = (await response.json()) as Partial<Record<'issuer' | (typeof CALLED)[number], unknown>>
    if (!response.ok || document.issuer !== issuer) return
    const endpoints = CALLED.map((name) => document[name]).filter((value) => typeof value === 'string')
    origins = [...new Set([...origins, ...endpoints.flatMap(originOf)])]
    isKnown = true
  }

  const current = () => {
    const now = performance.now()
    if (!isKnown && now - triedAt >= PAUSE_MS) {
      triedAt = now
      // A failure is reported where tokens are verified.
      read().catch(() => undefined)
    }
    return origins
  }
  current()
  return current
}

function originOf(address: string): string[] {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : []
}
