import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import type { Clock } from '../environment.ts'
import { CliError } from '../errors.ts'
import { loginRefused, requireJwt, sessionOf } from './new-session.ts'
import { checked, clientOf, type Fetch, optionsFor, type Realm } from './realm.ts'
import type { Session } from './session.ts'
import { requestedBy, type SignIn } from './sign-in.ts'

const ORIGIN = 'http://127.0.0.1'
const CALLBACK = '/callback'
/** How long the sign-in in the browser may take. */
const LIMIT_S = 600

/** A login in a browser on this machine. The browser returns to an address on which the tool listens (RFC 8252). */
export interface BrowserLogin {
  /** The address to open. */
  url: string
  expiresInS: number
  /** Resolves when the browser has returned. */
  session: Promise<Session>
}

/** For realms without the device grant. The realm must allow `http://127.0.0.1/callback` with any port. */
export async function startBrowserLogin(
  fetch: Fetch,
  realm: Realm,
  signIn: SignIn,
  clock: Clock,
): Promise<BrowserLogin> {
  const endpoint = realm.authorization_endpoint
  if (endpoint === undefined || !URL.canParse(endpoint)) {
    throw new CliError(`The realm ${realm.issuer} has neither a device login nor a sign-in page.`, {
      code: 'NO_DEVICE_LOGIN',
    })
  }
  const [state, nonce, verifier] = [generateRandomState(), generateRandomNonce(), generateRandomCodeVerifier()]
  const client = clientOf(signIn.clientId)
  const listening = await listen(state)
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: signIn.clientId,
    redirect_uri: listening.redirectUri,
    ...requestedBy(signIn),
    ...{ state, nonce, code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  })) {
    url.searchParams.set(name, value)
  }

  async function redeem(): Promise<Session> {
    const answer = await listening.answer
    const options = optionsFor(fetch, realm.issuer)
    const request = async () => {
      const parameters = validateAuthResponse(realm, client, answer, state)
      const { redirectUri } = listening
      return await authorizationCodeGrantRequest(realm, client, None(), parameters, redirectUri, verifier, options)
    }
    const tokens = await checked(realm, request(), (response) =>
      processAuthorizationCodeResponse(realm, client, response, { expectedNonce: nonce }),
    ).catch(loginRefused)
    return requireJwt(sessionOf(realm, signIn.clientId, tokens, clock.now()))
  }
  return { url: url.href, expiresInS: LIMIT_S, session: redeem() }
}

/** Waits for the browser on a free port of this machine. A request without the right state gets 404 and is ignored. */
async function listen(state: string): Promise<{ redirectUri: string; answer: Promise<URLSearchParams> }> {
  const server = createServer({ requestTimeout: 10_000 })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    const timer = setTimeout(() => {
      server.close()
      reject(loginExpired())
    }, LIMIT_S * 1000)
    server.on('request', (request, response) => {
      // The path `//` is not a valid address, and an exception here would end the process.
      const url = URL.canParse(request.url ?? '/', ORIGIN) ? new URL(request.url ?? '/', ORIGIN) : undefined
      if (url?.pathname !== CALLBACK || url.searchParams.get('state') !== state) return show(response, 404, 'Not found')
      const isError = url.searchParams.has('error')
      show(response, 200, isError ? 'The sign-in failed. See the terminal.' : 'You can close this window.')
      clearTimeout(timer)
      server.close()
      // A browser may keep further connections open.
      response.once('close', () => server.closeAllConnections())
      resolve(url.searchParams)
    })
  })
  return { redirectUri: `${ORIGIN}:${(server.address() as AddressInfo).port}${CALLBACK}`, answer }
}

function show(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`<!doctype html><meta charset="utf-8"><title>svc login</title><p>${text}</p>`)
}

function loginExpired(): CliError {
  return new CliError('The sign-in in the browser took too long.', {
    code: 'LOGIN_EXPIRED',
    next: 'Run `svc login` again.',
  })
}
