import type { Middleware } from './koa.ts'

const ADDRESSES = [
  '/auth',
  '/device',
  '/device/auth',
  '/jwks',
  '/logout',
  '/logout/confirm',
  '/logout/success',
  '/revoke',
  '/token',
  '/userinfo',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]

/**
 * The provider takes its addresses in capital letters and with a slash at the end too. Limits are by address, so each
 * has one spelling: any other is not found.
 */
export const refuseOtherSpellings: Middleware = async ({ path }, next) => {
  const [, first = ''] = path.split('/')
  const lower = path.toLowerCase()
  const isOther =
    (path !== '/' && path.endsWith('/')) ||
    first !== first.toLowerCase() ||
    (lower !== path && ADDRESSES.includes(lower))
  if (!isOther) await next()
}
