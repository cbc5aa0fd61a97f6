import { SIGN_IN_CALLBACK } from '@storey/contract'
import type { IdentityAdminSettings } from '../../identity-settings.ts'
import type { Settings } from '../../settings.ts'
import { Findings, reasonOf } from './finding.ts'

const LIMIT_MS = 10_000
const SIGNATURES = /^(RS|PS|ES)\d{3}$|^EdDSA$|^Ed25519$/

interface Discovery {
  issuer?: string
  jwks_uri?: string
  token_endpoint?: string
  authorization_endpoint?: string
  device_authorization_endpoint?: string
}

/** Checks the identity providers: your own, and the embedded one while the service runs. */
export async function checkIdentity(settings: Settings, isRunning: boolean): Promise<Findings> {
  const found = new Findings('identity')
  const { developersIssuer, sandboxesIssuer, publicUrl } = settings
  const own = (realm: string) => `${publicUrl.origin}/realms/${realm}`
  if (developersIssuer !== undefined || isRunning) {
    const realm = await checkRealm('developers', developersIssuer ?? own('developers'), found)
    if (realm) await checkClients(realm, settings, found)
  }
  if (sandboxesIssuer !== undefined || isRunning) {
    const realm = await checkRealm('sandboxes', sandboxesIssuer ?? own('sandboxes'), found)
    if (realm && settings.identityAdmin) await checkAdmin(settings.identityAdmin, realm, found)
  }
  if (!isRunning && (developersIssuer === undefined || sandboxesIssuer === undefined))
    found.ok('the embedded provider is checked while the service runs')
  for (const name of ['developers', 'sandboxes'] as const) {
    const isOpen = settings[`${name}Issuer`] !== undefined && settings[`${name}Audience`] === undefined
    if (isOpen)
      found.warning(
        `${name.toUpperCase()}_AUDIENCE is not set: tokens that the provider issued for other services are accepted`,
        'set it to the aud that your provider puts into tokens for Storey',
      )
  }
  return found
}

async function fetchJson<T>(url: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(LIMIT_MS) })
  if (!answer.ok) throw new Error(`${new URL(url).origin} answered ${answer.status}`)
  return (await answer.json()) as T
}

async function checkRealm(name: string, issuer: string, found: Findings): Promise<Discovery | undefined> {
  const reach = 'check the issuer, DNS, firewalls, NO_PROXY, and NODE_EXTRA_CA_CERTS for a private authority'
  try {
    const discovery = await fetchJson<Discovery>(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    if (discovery.issuer !== issuer) {
      found.problem(
        `the realm ${name} calls itself ${discovery.issuer}, not ${issuer}: its tokens are refused`,
        `set ${name.toUpperCase()}_ISSUER, or PUBLIC_URL for the embedded provider, exactly as in its discovery document`,
      )
      return undefined
    }
    const { keys = [] } = await fetchJson<{ keys?: { alg?: string; use?: string }[] }>(discovery.jwks_uri ?? '')
    const signing = keys.filter(({ alg = 'RS256', use = 'sig' }) => use === 'sig' && SIGNATURES.test(alg))
    if (signing.length === 0) found.problem(`the realm ${name} publishes no signing key`, 'add one at your provider')
    else found.ok(`the realm ${name} is ${issuer}, with ${signing.length} signing keys`)
    return discovery
  } catch (err) {
    found.problem(`the realm ${name} at ${issuer} cannot be read: ${reasonOf(err)}`, reach)
    return undefined
  }
}

/** Asks for a sign-in of the portal, and for a device code of the tool, as both do. Neither is completed. */
async function checkClients(
  realm: Discovery,
  { publicUrl, portalClientId, cliClientId, developersScope: scope }: Settings,
  found: Findings,
): Promise<void> {
  const redirect = new URL(SIGN_IN_CALLBACK, publicUrl).href
  const query = new URLSearchParams({
    ...{ client_id: portalClientId, redirect_uri: redirect, response_type: 'code', scope },
    ...{
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'doctor',
    },
  })
  const signIn = await statusOf(`${realm.authorization_endpoint}?${query}`)
  if (signIn >= 400)
    found.problem(
      `the client ${portalClientId} is not accepted (${signIn})`,
      `add it at your provider, as a public client with the redirect URI ${redirect} (docs/identity-providers.md)`,
    )
  else found.ok(`the client ${portalClientId} may sign in`)
  if (realm.device_authorization_endpoint === undefined)
    return found.warning('the realm has no device grant: svc login does not work', `enable it for ${cliClientId}`)
  const body = new URLSearchParams({ client_id: cliClientId, scope: `${scope} offline_access` })
  const device = await statusOf(realm.device_authorization_endpoint, { method: 'POST', body })
  if (device >= 400)
    found.warning(
      `the client ${cliClientId} is not accepted (${device}): svc login does not work`,
      'add it at your provider, with the device grant (docs/identity-providers.md)',
    )
  else found.ok(`the client ${cliClientId} gets device codes`)
}

async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) })
  await answer.body?.cancel()
  return answer.status
}

async function checkAdmin(admin: IdentityAdminSettings, realm: Discovery, found: Findings): Promise<void> {
  const name = `the client ${admin.clientId}`
  try {
    const basic = btoa(`${encodeURIComponent(admin.clientId)}:${encodeURIComponent(admin.clientSecret)}`)
    const { access_token } = await fetchJson<{ access_token: string }>(realm.token_endpoint ?? '', {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    await fetchJson(`${admin.url}/users?max=1`, { headers: { authorization: `Bearer ${access_token}` } })
    found.ok(`${name} manages the accounts of sandboxes`)
  } catch (err) {
    found.problem(
      `${name} cannot manage accounts: ${reasonOf(err)}`,
      'check IDENTITY_ADMIN_CLIENT_SECRET, IDENTITY_ADMIN_URL and its roles (docs/identity-providers.md)',
    )
  }
}
