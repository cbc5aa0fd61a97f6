export interface TokenParts {
  tokenUrl: string
  clientId: string
  clientSecret: string
  /** The API of the sandbox. */
  apiUrl: string
}

/** Lines that get an access token for a service account, and use it. */
export const tokenSnippet = ({ tokenUrl, clientId, clientSecret, apiUrl }: TokenParts): string =>
  `export SVC_API_URL=${apiUrl}
export SVC_API_TOKEN=$(curl -s ${tokenUrl} \\
  -u '${clientId}:${clientSecret}' \\
  -d grant_type=client_credentials \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl "$SVC_API_URL/api/v1/buildings" -H "Authorization: Bearer $SVC_API_TOKEN"`

/** Where tokens are had, as the realm itself says. */
export async function tokenUrlOf(issuer: string | null): Promise<string | undefined> {
  if (issuer === null) return undefined
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
  if (!answer.ok) throw new Error(`the realm answered ${answer.status}`)
  return ((await answer.json()) as { token_endpoint: string }).token_endpoint
}
