import { problems } from '@storey/contract'

/** Node's default limit for all headers of a request. */
const MAX_CHARACTERS = 16_384

/** The token of an Authorization header (RFC 6750), or UNAUTHENTICATED. */
export function bearerToken(header: string | undefined): string {
  if (header !== undefined && header.length > MAX_CHARACTERS) throw problems.unauthenticated()
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw problems.unauthenticated()
  return token
}
