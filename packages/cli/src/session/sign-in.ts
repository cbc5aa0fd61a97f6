import { CLI_CLIENT_ID, DEFAULT_SCOPE, type PortalConfig } from '@storey/contract'
import { CliError } from '../errors.ts'
import { ACCEPT, type Fetch, readJson, send } from './realm.ts'

/** How developers sign in to a service with the tool. */
export interface SignIn {
  issuer: string
  clientId: string
  scope: string
  /** The `audience` of the request; null if the request has none. */
  audience: string | null
  /** The claim with the organization of a developer. */
  organizationClaim: string
}

/** How developers sign in at the embedded realm. */
export const embeddedSignIn = (issuer: string): SignIn => ({
  issuer,
  clientId: CLI_CLIENT_ID,
  scope: DEFAULT_SCOPE,
  audience: null,
  organizationClaim: 'org_id',
})

/**
 * How to sign in to a service: the settings that its portal publishes. Settings that the portal does not publish are
 * those of the embedded realm.
 */
export async function signInOf(fetch: Fetch, service: string): Promise<SignIn> {
  const answer = await send(fetch, `${service}/config.json`, { method: 'GET', headers: ACCEPT })
  const config = (answer.ok ? await readJson(answer) : {}) as Partial<PortalConfig & { sandboxId: string }>
  if (typeof config.sandboxId === 'string') {
    throw new CliError(`${service} is the address of a sandbox, where developers do not sign in.`, {
      code: 'NO_REALM',
      next: `Use the provisioning service with --api ${config.publicUrl ?? '<url>'}.`,
    })
  }
  if (config.issuer === null) {
    throw new CliError(`${service} has no developers realm, so sign-in is not possible.`, {
      code: 'NO_REALM',
      next: 'Set SVC_API_TOKEN to an API key of that service.',
    })
  }
  // A service of an earlier version publishes the issuer only.
  const { issuer = `${service}/realms/developers`, cliClientId, scope, audience, organizationClaim } = config
  const { clientId, ...defaults } = embeddedSignIn(issuer)
  return {
    issuer,
    clientId: cliClientId ?? clientId,
    scope: scope ?? defaults.scope,
    audience: audience ?? defaults.audience,
    organizationClaim: organizationClaim ?? defaults.organizationClaim,
  }
}

/** The parameters of a sign-in request. With `offline_access` the session of the tool outlasts that of the browser. */
export function requestedBy({ scope, audience }: SignIn): Record<string, string> {
  const scopes = new Set([...scope.split(' '), 'offline_access'])
  return { scope: [...scopes].join(' '), ...(audience === null ? {} : { audience }) }
}
