/**
 * Who is calling. A client asks for the token before each request; where the API answers 401 it has the credential
 * renewed once, and repeats the request.
 *
 * @stable
 */
export interface Credential {
  token(): Promise<string>
  /** True when `token()` now gives another one. Absent where there is nothing to renew. */
  renew?(): Promise<boolean>
}

/**
 * An API key of the provisioning service.
 *
 * @stable
 */
export const apiKey = (text: string): Credential => bearer(text)

/**
 * A token as it is: a sandbox's own, or one that something else keeps fresh.
 *
 * @stable
 */
export function bearer(text: string): Credential {
  const token = text.trim()
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('A token is a text without spaces: this one cannot be sent')
  return { token: async () => token }
}

/**
 * What a session needs: where its token is, and how it gets another.
 *
 * @stable
 */
export interface SessionOptions {
  get(): string | Promise<string>
  /** Gets another token, and tells whether it did. */
  refresh(): Promise<boolean>
}

/**
 * A session that somebody else keeps: a sign-in of a person, stored by the application.
 *
 * @stable
 */
export function session({ get, refresh }: SessionOptions): Credential {
  return { token: async () => await get(), renew: () => refresh() }
}
