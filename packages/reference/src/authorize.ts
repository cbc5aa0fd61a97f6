import type { Session } from '@storey/web/visitor'

/** What Scalar, the library of the page, sends when the visitor has entered no token. */
const NO_TOKEN = /^(?:Bearer)?\s*(?:YOUR_SECRET_TOKEN)?\s*$/i

/** If a URL begins with the address of one of `servers`, replaces this address by `origin`. */
function atThisOrigin(url: string, origin: string, servers: readonly { url: string }[]): string {
  const address = servers
    .map((one) => one.url.replace(/\/$/, ''))
    .find((one) => one !== '' && url.startsWith(`${one}/`))
  return address === undefined ? url : origin + url.slice(address.length)
}

async function withUrl(request: Request, url: string): Promise<Request> {
  if (url === request.url) return request
  const { method, headers, signal } = request
  const body = /^(?:GET|HEAD)$/.test(method) ? null : await request.arrayBuffer()
  return new Request(url, { method, headers, signal, body })
}

/**
 * `fetch` with the visitor's session for requests to our own server, unless the visitor has entered another credential.
 * Other servers never get the token of the session. Requests for another address of the same API (`servers`) are sent
 * to the origin of the page, because its content security policy allows no requests to that address.
 */
export function authorizedFetch(
  session: Pick<Session, 'token'> | undefined,
  origin: string,
  servers: readonly { url: string }[] = [],
): typeof fetch {
  return async (input, init) => {
    const original = new Request(input, init)
    const request = await withUrl(original, atThisOrigin(original.url, origin, servers))
    const entered = request.headers.get('authorization')
    if (entered !== null && NO_TOKEN.test(entered)) request.headers.delete('authorization')
    const isOwn = new URL(request.url).origin === origin
    if (session && isOwn && !request.headers.has('authorization'))
      request.headers.set('authorization', `Bearer ${await session.token()}`)
    return await fetch(request)
  }
}
