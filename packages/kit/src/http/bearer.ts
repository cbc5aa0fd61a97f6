import { problems } from '@storey/contract'

/** The maximum length of the header: Node's default limit for all headers of a request together. */
const MAX_CHARACTERS = 16_384

/** `Token` is the scheme of InfluxDB's clients, for routes that they use. */
export type AuthorizationScheme = 'Bearer' | 'Token'

const TOKEN = /^(Bearer|Token) +([A-Za-z0-9\-._~+/]+=*)$/i

/** The token of an Authorization header (RFC 6750). Throws UNAUTHENTICATED if there is none. */
export function bearerToken(header: string | undefined, schemes: readonly AuthorizationScheme[] = ['Bearer']): string {
  if (header !== undefined && header.length > MAX_CHARACTERS) throw problems.unauthenticated()
  const [, scheme, token] = TOKEN.exec(header ?? '') ?? []
  const isAccepted = schemes.some((accepted) => accepted.toLowerCase() === scheme?.toLowerCase())
  if (token === undefined || !isAccepted) throw problems.unauthenticated()
  return token
}
