import * as oauth from 'openid-client'
import { Browser, type BrowserPage } from './browser.ts'
import type { ServedIdentity } from './serve.ts'

export const PASSWORD = 'correct horse battery'

/** Discovers an issuer, and returns openid-client's configuration of a client. Without `auth` the client is public. */
export async function discover(issuer: string, clientId: string, auth: string | oauth.ClientAuth = oauth.None()) {
  const [secret, method] = typeof auth === 'string' ? [auth, undefined] : [undefined, auth]
  return await oauth.discovery(new URL(issuer), clientId, secret, method, { execute: [oauth.allowInsecureRequests] })
}

export interface CodeRequest {
  config: oauth.Configuration
  redirectUri: string
  parameters?: Record<string, string>
}

/** Starts the code flow: returns the URL for the browser, and a function that redeems the code of the final URL. */
export async function startCodeFlow({ config, redirectUri, parameters = {} }: CodeRequest) {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
  const state = oauth.randomState()
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state,
    ...parameters,
  })
  const redeem = (end: URL) => oauth.authorizationCodeGrant(config, end, { pkceCodeVerifier, expectedState: state })
  return { url, redeem }
}

export interface SignedIn {
  config: oauth.Configuration
  browser: Browser
  end: BrowserPage
  tokens: Awaited<ReturnType<typeof oauth.authorizationCodeGrant>>
}

/** Signs in to the portal and returns its tokens. */
export async function signInToPortal(
  identity: ServedIdentity,
  credentials: { email: string; password?: string },
  browser = new Browser(identity.url),
): Promise<SignedIn> {
  const config = await discover(identity.issuers.developers, 'svc-portal')
  const { url, redeem } = await startCodeFlow({ config, redirectUri: `${identity.url}/callback` })
  const page = await browser.open(url)
  const end = await browser.submit(page, { password: PASSWORD, ...credentials })
  return { config, browser, end, tokens: await redeem(end.url) }
}

/** Enters and confirms the code of a device, and signs in if necessary. */
export async function approveDevice(
  identity: ServedIdentity,
  { link, email, browser = new Browser(identity.url) }: { link: string; email: string; browser?: Browser },
): Promise<BrowserPage> {
  const confirm = await browser.submit(await browser.open(link))
  const next = await browser.submit(confirm, { confirm: 'yes' })
  return next.title.startsWith('Sign in') ? await browser.submit(next, { email, password: PASSWORD }) : next
}

/** The error code of a refused request, or else the message of its error; undefined if the request was accepted. */
export async function refusal(attempt: Promise<unknown>): Promise<string | undefined> {
  return await attempt.then(
    () => undefined,
    (err: { error?: string; message: string }) => err.error ?? err.message,
  )
}
