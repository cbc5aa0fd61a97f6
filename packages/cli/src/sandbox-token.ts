/** Tokens of realms and sandboxes have three parts separated by dots; an API key has no dots. */
export function isJwt(token: string): boolean {
  return token.trim().split('.').length === 3
}

/**
 * The claims of a token; empty if they cannot be read. The tool does not verify the token, because the service does.
 */
export function claimsOf(token: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/**
 * The sandbox that a token is for. The token is not verified: the result is used only to choose the sandbox and the
 * credential of a command, and in messages.
 */
export function sandboxOfToken(token: string | undefined): string | undefined {
  if (token === undefined || !isJwt(token)) return undefined
  const { aud } = claimsOf(token)
  return typeof aud === 'string' && aud.startsWith('sbx_') ? aud : undefined
}
