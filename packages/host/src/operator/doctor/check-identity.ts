import { randomBytes } from 'node:crypto'
import { countOf, SIGN_IN_CALLBACK } from '@storey/contract'
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

/** Checks the identity providers: external ones always, and the embedded one while the service runs. */
export async function checkIdentity(settings: Settings, isRunning: boolean): Promise<Findings> {
  const found = new Findings('identity')
  const { developersIssuer, sandboxesIssuer, publicUrl } = settings
  const own = (realm: string) => `${publicUrl.origin}/realms/${realm}`
  if (developersIssuer !== undefined || isRunning) {
    const realm = await checkRealm('developers', developersIssuer ?? own('developers'), found)
    if (realm)
      await checkClients(realm, settings, found).catch((err) =>
        found.problem(
          `the sign-in of the realm developers cannot be checked: ${reasonOf(err)}`,
          'check DNS, firewalls, NO_PROXY and the log of the provider',
        ),
      )
  }
  if (sandboxesIssuer !== undefined || isRunning) {
    const realm = await checkRealm('sandboxes', sandboxesIssuer ?? own('sandboxes'), found)
    if (realm && settings.identityAdmin) await checkAdmin(settings.identityAdmin, realm, found)
  }
  if (!isRunning && (developersIssuer === undefined || sandboxesIssuer === undefined))
    found.ok('the embedded provider is checked only while the service runs')
  for (const name of ['developers', 'sandboxes'] as const) {
    const isOpen = settings[`${name}Issuer`] !== undefined && settings[`${name}Audience`] === undefined
    if (isOpen)
      found.warning(
        `${name.toUpperCase()}_AUDIENCE is not set: tokens that the provider issued for other services may be accepted`,
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
  const reach =
    'check the issuer, DNS, firewalls, NO_PROXY and, if a private authority signed the certificate, NODE_EXTRA_CA_CERTS'
  try {
    const discovery = await fetchJson<Discovery>(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    if (discovery.issuer !== issuer) {
      found.problem(
        `the realm ${name} has the issuer ${discovery.issuer} in its discovery document, not ${issuer}: its tokens are refused`,
        `set ${name.toUpperCase()}_ISSUER, or PUBLIC_URL for the embedded provider, exactly as in its discovery document`,
      )
      return undefined
    }
    const { keys = [] } = await fetchJson<{ keys?: { alg?: string; use?: string }[] }>(discovery.jwks_uri ?? '')
    const signing = keys.filter(({ alg = 'RS256', use = 'sig' }) => use === 'sig' && SIGNATURES.test(alg))
    if (signing.length === 0) found.problem(`the realm ${name} publishes no signing key`, 'add one at your provider')
    else found.ok(`the realm ${name} is ${issuer}, with ${countOf(signing.length, 'signing key')}`)
    return discovery
  } catch (err) {
    found.problem(`the realm ${name} at ${issuer} cannot be read: ${reasonOf(err)}`, reach)
    return undefined
  }
}

/** Starts a sign-in as the portal does, and another one as the command-line tool does. Neither is completed. */
async function checkClients(realm: Discovery, settings: Settings, found: Findings): Promise<void> {
  const { publicUrl, portalClientId, cliClientId, developersScope: scope } = settings
  const redirect = new URL(SIGN_IN_CALLBACK, publicUrl).href
  const refusal = await refusalOf(signInUrl(realm, { clientId: portalClientId, redirect, scope }))
  if (refusal !== undefined && FAILURE.test(refusal)) return reportFailure(refusal, found)
  if (refusal !== undefined)
    found.problem(
      `the client ${portalClientId} is not accepted (${refusal})`,
      `add it at your provider, as a public client with the redirect URI ${redirect} (docs/identity-providers.md)`,
    )
  else found.ok(`developers may sign in with the client ${portalClientId}`)
  const toolScope = `${scope} offline_access`
  const device = realm.device_authorization_endpoint
  const body = new URLSearchParams({ client_id: cliClientId, scope: toolScope })
  const ofTool =
    device === undefined
      ? await refusalOf(signInUrl(realm, { clientId: cliClientId, redirect: TOOL_CALLBACK, scope: toolScope }))
      : await refusalOf(device, { method: 'POST', body })
  if (ofTool !== undefined && FAILURE.test(ofTool)) reportFailure(ofTool, found)
  else if (ofTool !== undefined)
    found.warning(
      `the client ${cliClientId} is not accepted (${ofTool}): svc login does not work`,
      'add it at your provider, with the device grant or the redirect URI http://127.0.0.1/callback (docs/identity-providers.md)',
    )
  else if (device !== undefined) found.ok(`the client ${cliClientId} gets device codes`)
  else
    found.ok(`developers may sign in with the client ${cliClientId} in a browser, since the realm has no device grant`)
}

/** HTTP statuses and OAuth errors that mean a failure or a rate limit of the provider, and not a refused client. */
const FAILURE = /^5\d\d$|^429$|^server_error$|^temporarily_unavailable$/

function reportFailure(answer: string, found: Findings): void {
  found.problem(
    `the realm developers answers ${answer} to sign-ins`,
    'see the log of the provider; the embedded provider writes into the log of the service',
  )
}

/** In a realm without the device grant, the tool gets the redirect at a free loopback port, such as this one. */
const TOOL_CALLBACK = 'http://127.0.0.1:49152/callback'

function signInUrl(
  realm: Discovery,
  { clientId, redirect, scope }: { clientId: string; redirect: string; scope: string },
): string {
  const state = randomBytes(16).toString('hex')
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: redirect, response_type: 'code', scope, state, nonce: state },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  })
  return `${realm.authorization_endpoint}?${query}`
}

/** Why a request is refused; undefined if it is not refused. Some providers report the error in a redirect. */
async function refusalOf(url: string, init: RequestInit = {}): Promise<string | undefined> {
  const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) })
  await answer.body?.cancel()
  const error = /[?&#]error=([^&]+)/.exec(answer.headers.get('location') ?? '')?.[1]
  return error ?? (answer.status >= 400 ? String(answer.status) : undefined)
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
      'check IDENTITY_ADMIN_CLIENT_SECRET, IDENTITY_ADMIN_URL and the roles of the client (docs/identity-providers.md)',
    )
  }
}
