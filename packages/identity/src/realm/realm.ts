import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressGroup } from '@storey/kit/client-address'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import { type Client, Provider } from 'oidc-provider'
import type { Passwords } from '../accounts/passwords.ts'
import type { SigningKey, SigningKeys } from '../keys/signing-keys.ts'
import type { DemoHint } from '../pages/interaction-pages.ts'
import type { Attempts } from '../sign-in-attempts/attempts.ts'
import type { KnownDevices } from '../sign-in-attempts/known-devices.ts'
import type { SlowDown } from '../sign-in-attempts/slow-down.ts'
import { configure, type RealmOptions, resourceOf, SESSION_S } from './configuration.ts'
import { serveDevices } from './device.ts'
import { useHostCookies } from './host-cookies.ts'
import { serveInteractions } from './interactions.ts'
import type { Middleware } from './koa.ts'
import { refuseLargeBody } from './limit-body.ts'
import { limitSecretGuesses } from './limit-secret-guesses.ts'
import { realmPath } from './names.ts'
import { type OwnerTickets, serveOwnerSessions } from './owner-sessions.ts'
import { refuseOtherSpellings } from './spellings.ts'
import { serveUserinfo } from './userinfo.ts'
import { wrapResponses } from './wrap-responses.ts'

export interface RealmParts extends Omit<RealmOptions, 'addressOf'> {
  signingKeys: SigningKeys
  passwords: Passwords
  attempts: Attempts
  slowDown: SlowDown
  knownDevices: KnownDevices
  demo?: DemoHint
  clock: Clock
  log: Log
  ownerTickets: OwnerTickets
  addressOf(request: IncomingMessage): string
}

export interface Realm {
  issuer: string
  /** The `aud` of its access tokens. */
  audience: string
  /** Answers a request for the realm and returns true. Returns false for other requests. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  provider(): Provider
  /** Loads new keys and drops old ones. */
  refreshKeys(): Promise<void>
}

export async function openRealm(parts: RealmParts): Promise<Realm> {
  const path = realmPath(parts.realm)
  const issuer = `${parts.publicUrl}${path}`
  const isHttps = parts.publicUrl.startsWith('https:')

  // A provider gets its keys when it is created, so new keys need a new provider. Its state is in the database, so it
  // can be replaced at any time.
  function build(keys: readonly SigningKey[]) {
    const provider = createProvider(issuer, parts, keys)
    return { provider, answer: provider.callback(), kids: kidsOf(keys) }
  }
  let current = build(await parts.signingKeys.current(parts.realm))

  return {
    issuer,
    audience: resourceOf(parts),
    provider: () => current.provider,
    handle(request, response) {
      const url = request.url ?? ''
      const rest = url.startsWith(path) ? url.slice(path.length) : undefined
      if (rest === undefined || !/^([/?]|$)/.test(rest)) return false
      if (refuseLargeBody(request, response)) return true
      if (isHttps) useHostCookies(parts.realm, request, response)
      Object.assign(request, { originalUrl: url, url: rest.startsWith('/') ? rest : `/${rest}` })
      void current.answer(request, response)
      return true
    },
    async refreshKeys() {
      const keys = await parts.signingKeys.current(parts.realm)
      if (kidsOf(keys) !== current.kids) current = build(keys)
    },
  }
}

const kidsOf = (keys: readonly SigningKey[]) => keys.map((key) => key.kid).join(' ')

function createProvider(issuer: string, parts: RealmParts, keys: readonly SigningKey[]): Provider {
  const { realm, database, vault, clock, passwords, attempts, slowDown, knownDevices, publicUrl, log } = parts
  const addressOf = (ctx: { req: IncomingMessage }) => parts.addressOf(ctx.req)
  const addressGroupOf = (ctx: { req: IncomingMessage }) => addressGroup(addressOf(ctx))
  const provider = new Provider(issuer, configure({ ...parts, addressOf }, keys))
  const { protocol, host } = new URL(publicUrl)
  // URLs come from the settings, never from headers of a request.
  Object.defineProperties(provider.request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
  })
  const compareClientSecret = limitSecretGuesses({ realm, attempts, clock, addressOf: addressGroupOf })
  Object.assign(provider.Client.prototype, { compareClientSecret, includeSid })

  // Otherwise the provider prints errors to stderr.
  provider.silent = true
  // The provider handles its errors itself and only emits an event. The error is stored here for `wrapResponses`.
  provider.on('server_error', (ctx, err) => {
    ctx.state.serverError = err
  })

  provider.use(wrapResponses(log, realm, provider))
  provider.use(refuseOtherSpellings)
  if (realm === 'developers') provider.use(serveDevices({ provider, attempts, clock, addressOf: addressGroupOf }))
  if (realm === 'sandboxes') {
    const { ownerTickets: tickets, shellOriginOf } = parts
    provider.use(serveOwnerSessions({ provider, tickets, publicUrl, shellOriginOf, sessionS: SESSION_S }))
  }
  provider.use(
    serveInteractions({
      realm,
      provider,
      database,
      vault,
      clock,
      attempts,
      passwords,
      slowDown,
      knownDevices,
      publicUrl,
      addressOf: addressGroupOf,
      demo: parts.demo,
      shellOriginOf: parts.shellOriginOf,
    }),
  )
  provider.use(serveUserinfo({ realm, provider, database, keys, audience: resourceOf(parts) }))
  provider.use(skipAborted)
  return provider
}

/** Skips an aborted request, for which the provider would print a misleading warning. */
const skipAborted: Middleware = async (ctx, next) => {
  if (!ctx.req.socket.destroyed) await next()
}

/** ID tokens of browser applications contain the session id, so that a user can sign out without a confirmation. */
function includeSid(this: Client): boolean {
  return this.grantTypeAllowed('authorization_code')
}
