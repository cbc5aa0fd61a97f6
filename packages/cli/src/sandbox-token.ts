/** Tokens of realms and sandboxes have three parts separated by dots; a key has no dots. */
export function isJwt(token: string): boolean {
  return token.trim().split('.').length === 3
}

/** The sandbox that a token belongs to. The token is not verified, because this only decides which API gets it. */
export function sandboxOfToken(token: string | undefined): string | undefined {
  if (token === undefined || !isJwt(token)) return undefined
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString('utf8')) as { aud?: unknown }
    return typeof claims.aud === 'string' && claims.aud.startsWith('sbx_') ? claims.aud : undefined
  } catch {
    return undefined
  }
}
