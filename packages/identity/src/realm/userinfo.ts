import type { Database } from '@storey/kit/database'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Provider } from 'oidc-provider'
import { findEnabled } from '../accounts/accounts.store.ts'
import { SIGNING_ALGORITHM, type SigningKey } from '../keys/signing-keys.ts'
import { claimNames, claimsOf } from './claims.ts'
import type { Middleware } from './koa.ts'
import type { RealmName } from './names.ts'

export interface UserinfoOptions {
  realm: RealmName
  provider: Provider
  database: Database
  keys: readonly SigningKey[]
  audience: string
}

/** The UserInfo endpoint of OpenID Connect. */
export function serveUserinfo({ realm, provider, database, keys, audience }: UserinfoOptions): Middleware {
  const keySet = createLocalJWKSet({ keys: keys.map(({ d: _, ...publicKey }) => publicKey) })

  async function subjectOf(authorization: string): Promise<{ sub: string; azp: string; scopes: string[] } | undefined> {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization) ?? []
    if (token === undefined) return undefined
    const rules = { issuer: provider.issuer, audience, algorithms: [SIGNING_ALGORITHM], typ: 'at+jwt' }
    const verified = await jwtVerify(token, keySet, rules).catch(() => undefined)
    const { sub, azp, scope } = verified?.payload ?? {}
    return typeof sub === 'string' && typeof azp === 'string'
      ? { sub, azp, scopes: String(scope ?? '').split(' ') }
      : undefined
  }

  return async (ctx, next) => {
    if (ctx.path !== '/userinfo' || !['GET', 'POST', 'OPTIONS'].includes(ctx.method)) return await next()
    ctx.set('cache-control', 'no-store')
    ctx.vary('Origin')
    const origin = ctx.get('origin')
    if (ctx.method === 'OPTIONS') {
      if (origin) ctx.set({ ...allow(origin), 'access-control-allow-headers': 'authorization' })
      ctx.status = 204
      return
    }
    const refuse = (status: number, error: string) => {
      ctx.status = status
      ctx.set('www-authenticate', `Bearer realm="${provider.issuer}", error="${error}"`)
      ctx.body = { error }
    }
    const subject = await subjectOf(ctx.get('authorization'))
    const client = subject && (await provider.Client.find(subject.azp))
    if (!subject || !client) return refuse(401, 'invalid_token')
    if (origin && client.redirectUris?.some((uri) => new URL(uri).origin === origin)) ctx.set(allow(origin))
    if (!subject.scopes.includes('openid')) return refuse(403, 'insufficient_scope')
    const account = await findEnabled(database, realm, subject.sub)
    if (!account) return refuse(401, 'invalid_token')
    const known = Object.entries(claimNames(realm)).flatMap(([scope, names]) =>
      subject.scopes.includes(scope) ? names : [],
    )
    ctx.body = Object.fromEntries(Object.entries(claimsOf(realm, account)).filter(([name]) => known.includes(name)))
  }
}

const allow = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': 'GET, POST',
  'access-control-expose-headers': 'WWW-Authenticate',
})
