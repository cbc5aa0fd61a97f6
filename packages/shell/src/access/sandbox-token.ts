/** Whether a text looks like the token of a sandbox. Only the API verifies the token. */
export function isSandboxToken(text: string): boolean {
  const [, claims, signature] = text.trim().split('.')
  if (claims === undefined || signature === undefined) return false
  try {
    const { aud } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { aud?: unknown }
    return typeof aud === 'string' && aud.startsWith('sbx_')
  } catch {
    return false
  }
}
