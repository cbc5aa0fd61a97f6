import { problems } from '@storey/contract'

/** The token of an Authorization header (RFC 6750), or UNAUTHENTICATED. */
export function bearerToken(header: string | undefined): string {
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw problems.unauthenticated()
  return token
}
