/** The claims of a token that came from the provider itself, over the connection that vouches for it. */
export function claimsOf(token: string): Record<string, unknown> {
  const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))))
}
