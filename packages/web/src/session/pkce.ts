/** Random text that nobody guesses, fit for an address. */
export const randomText = (bytes = 32): string => base64url(crypto.getRandomValues(new Uint8Array(bytes)))

/** RFC 7636: what is sent ahead of the verifier. */
export async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The claims of a token that came from the provider itself, over the connection that vouches for it. */
export function claimsOf(token: string): Record<string, unknown> {
  const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))))
}
