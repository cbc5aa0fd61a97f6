import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'

export interface SignOptions {
  /** RS256 by default. `none` omits the signature, `HS256` misuses the public key as a shared secret. */
  alg?: 'RS256' | 'HS256' | 'none'
  /** Sets another `kid` than that of the signing key. */
  kid?: string
  /** Further members of the header, such as `jwk` or `jku`. */
  header?: Record<string, unknown>
  /** Signs with a key that the realm never published. */
  foreignKey?: boolean
}

/** An OpenID issuer on a free port: discovery, keys, and a function that signs any claims. */
export interface TestRealm {
  readonly issuer: string
  /** A token with these claims. `iss`, `sub`, `iat`, `exp` and `scope` have defaults; `undefined` omits a claim. */
  sign(claims?: Record<string, unknown>, options?: SignOptions): Promise<string>
  /** The published public keys; the newest is last. */
  keys(): JWK[]
  /** Signs with a new key from now on. The old key stays published unless `forget` is true. */
  rotate(options?: { forget?: boolean }): Promise<void>
  /** Answers no request until `resume`, and closes the connection of each request. */
  pause(): void
  resume(): void
  /** Holds back responses with keys until `release`. They contain the keys published when the request arrived. */
  holdKeys(): { release(): void }
  /** Delays every response from now on. */
  slowDown(ms: number): void
  /** How many times the keys and the discovery document were fetched. */
  readonly fetches: { keys: number; discovery: number }
  stop(): Promise<void>
}

async function newKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = randomUUID()
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } as JWK }
}

/** A key that no realm publishes. All realms share it, because creating one takes a tenth of a second. */
let foreign: ReturnType<typeof newKey> | undefined
function foreignKey() {
  foreign ??= newKey()
  return foreign
}

export async function startTestRealm(path = '/realms/test'): Promise<TestRealm> {
  const base = path.replace(/\/$/, '')
  let current = await newKey()
  let published = [current.jwk]
  let paused = false
  let delayMs = 0
  let held: Promise<void> | undefined
  const fetches = { keys: 0, discovery: 0 }

  const server = createServer(async (request, response) => {
    if (paused) return void request.socket.destroy()
    if (delayMs > 0) await sleep(delayMs)
    response.setHeader('content-type', 'application/json')
    response.setHeader('connection', 'close')
    if (request.url === `${base}/.well-known/openid-configuration`) {
      fetches.discovery++
      return void response.end(JSON.stringify({ issuer, jwks_uri: `${origin}${base}/jwks` }))
    }
    if (request.url === `${base}/jwks`) {
      fetches.keys++
      const body = JSON.stringify({ keys: published })
      await held
      return void response.end(body)
    }
    response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const issuer = origin + path

  async function sign(claims: Record<string, unknown> = {}, options: SignOptions = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const whole: JWTPayload = { iss: issuer, sub: randomUUID(), iat: now, exp: now + 300, scope: 'openid', ...claims }
    const key = options.foreignKey ? await foreignKey() : current
    const alg = options.alg ?? 'RS256'
    if (alg === 'none') return new UnsecuredJWT(whole).encode()
    const header = { alg, kid: options.kid ?? current.kid, typ: 'JWT', ...options.header }
    const secret = alg === 'HS256' ? new TextEncoder().encode(await exportSPKI(key.publicKey)) : key.privateKey
    return await new SignJWT(whole).setProtectedHeader(header).sign(secret)
  }

  return {
    issuer,
    sign,
    keys: () => published,
    async rotate({ forget = false } = {}) {
      current = await newKey()
      published = forget ? [current.jwk] : [...published, current.jwk]
    },
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
    },
    holdKeys() {
      const { promise, resolve: release } = Promise.withResolvers<void>()
      held = promise
      return { release }
    },
    slowDown: (ms) => {
      delayMs = ms
    },
    fetches,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
