import type { Session } from '@storey/web/visitor'

/** What Scalar sends when the visitor has entered no token. */
const NO_TOKEN = /^(?:Bearer)?\s*(?:YOUR_SECRET_TOKEN)?\s*$/i

/**
 * `fetch` with the visitor's session for requests to our own server, unless the visitor has entered another credential.
 * Other servers never get the token.
 */
export function authorizedFetch(session: Pick<Session, 'token'> | undefined, origin: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const entered = request.headers.get('authorization')
    if (entered !== null && NO_TOKEN.test(entered)) request.headers.delete('authorization')
    const isOwn = new URL(request.url).origin === origin
    if (session && isOwn && !request.headers.has('authorization'))
      request.headers.set('authorization', `Bearer ${await session.token()}`)
    return await fetch(request)
  }
}
