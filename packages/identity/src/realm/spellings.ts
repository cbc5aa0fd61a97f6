import type { Middleware } from './koa.ts'

const PATHS = [
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
 * The provider also accepts its paths in capital letters and with a slash at the end. Rate limits recognize requests by
 * their path, so only one spelling of each path is accepted. Any other is a 404.
 */
export const refuseOtherSpellings: Middleware = async ({ path }, next) => {
  const [, first = ''] = path.split('/')
  const lower = path.toLowerCase()
  const isOther =
    (path !== '/' && path.endsWith('/')) || first !== first.toLowerCase() || (lower !== path && PATHS.includes(lower))
  if (!isOther) await next()
}
