/** Tokens of realms and sandboxes have three parts separated by dots; a key has no dots. */
export function isJwt(token: string): boolean {
  return token.trim().split('.').length === 3
}

/** The claims of a token that is not verified, because the service does that; empty if they cannot be read. */
export function claimsOf(token: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The sandbox that a token belongs to. This only decides which API gets the token. */
export function sandboxOfToken(token: string | undefined): string | undefined {
  if (token === undefined || !isJwt(token)) return undefined
  const { aud } = claimsOf(token)
  return typeof aud === 'string' && aud.startsWith('sbx_') ? aud : undefined
}
