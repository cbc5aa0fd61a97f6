/** The user code from the link. After a sign-out to switch accounts, the provider returns it as `state`. */
export const codeIn = (query: URLSearchParams): string => query.get('user_code') ?? query.get('state') ?? ''

/** Normalizes a code that was typed in upper or lower case, with or without a dash. Undefined if it is not a code. */
export function userCodeOf(text: string): string | undefined {
  const letters = text.replace(/[\s\p{Pd}]/gu, '').toUpperCase()
  return /^[A-Z0-9]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined
}

/** The page of the realm where the user confirms the code. Our realm and Keycloak use the same path. */
export function verificationAddress(issuer: string, userCode: string, locale: string): string {
  const address = new URL(`${issuer.replace(/\/$/, '')}/device`)
  address.searchParams.set('user_code', userCode)
  address.searchParams.set('ui_locales', locale)
  return address.href
}
