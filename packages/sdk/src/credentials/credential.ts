/**
 * Identifies the caller. A client gets the token before each request. If the API responds with 401, the client renews
 * the credential once and repeats the request. If `token` or `renew` rejects with a `StoreyError` of status 400, 401 or
 * 403, a live channel ends. After any other failure, and if `renew` resolves with false, it tries again later.
 *
 * @stable
 */
export interface Credential {
  token(): Promise<string>
  /** Resolves with true if `token()` now returns another token. Absent if the credential cannot be renewed. */
  renew?(): Promise<boolean>
}

/**
 * An API key of the provisioning service.
 *
 * @stable
 */
export const apiKey = (text: string): Credential => bearer(text)

/**
 * A fixed token, such as the token of a sandbox that `sandboxes.connection` returns.
 *
 * @stable
 */
export function bearer(text: string): Credential {
  // A JavaScript program can pass an environment variable that is not set, which is undefined.
  if (typeof text !== 'string' || text.trim() === '') {
    throw new TypeError(
      `The token is ${typeof text === 'string' ? 'empty' : String(text)}: is its environment variable set?`,
    )
  }
  const token = text.trim()
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('The token has characters that cannot be sent in a header')
  return { token: async () => token }
}

/**
 * How a session gets its token, and how it gets a new one.
 *
 * @stable
 */
export interface SessionOptions {
  get(): string | Promise<string>
  /** Gets a new token. Returns whether there is one; false also if the identity provider is unavailable. */
  refresh(): Promise<boolean>
}

/**
 * The session of a signed-in person, which the application stores.
 *
 * @stable
 */
export function session({ get, refresh }: SessionOptions): Credential {
  return { token: async () => await get(), renew: () => refresh() }
}
