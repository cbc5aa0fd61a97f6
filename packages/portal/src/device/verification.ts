/** The code in the address: of a link, or of somebody who has signed out to use another account and comes back. */
export const codeIn = (query: URLSearchParams): string => query.get('user_code') ?? query.get('state') ?? ''

/** A code as people type it: any case, with or without the dash. Undefined: it cannot be one. */
export function userCodeOf(text: string): string | undefined {
  const letters = text.replace(/[\s-]/g, '').toUpperCase()
  return /^[A-Z0-9]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined
}

/** The page of the realm where a code is confirmed. Ours and Keycloak's have it at the same place. */
export function verificationAddress(issuer: string, userCode: string, locale: string): string {
  const address = new URL(`${issuer.replace(/\/$/, '')}/device`)
  address.searchParams.set('user_code', userCode)
  address.searchParams.set('ui_locales', locale)
  return address.href
}
