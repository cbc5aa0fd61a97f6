export interface TokenParts {
  tokenUrl: string
  clientId: string
  clientSecret: string
  /** The API of the sandbox. */
  apiUrl: string
}

/** Shell commands that get an access token for a service account and use it. */
export const tokenSnippet = ({ tokenUrl, clientId, clientSecret, apiUrl }: TokenParts): string =>
  `export SVC_API_URL=${apiUrl}
export SVC_API_TOKEN=$(curl -s ${tokenUrl} \\
  -u '${clientId}:${clientSecret}' \\
  -d grant_type=client_credentials \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl "$SVC_API_URL/api/v1/buildings" -H "Authorization: Bearer $SVC_API_TOKEN"`

/** The token endpoint from the metadata of the realm. Undefined if there is no realm. */
export async function tokenUrlOf(issuer: string | null): Promise<string | undefined> {
  if (issuer === null) return undefined
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (!response.ok) throw new Error(`the realm answered ${response.status}`)
  return ((await response.json()) as { token_endpoint: string }).token_endpoint
}
