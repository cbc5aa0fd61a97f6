import { REALM_ENDPOINTS } from '@storey/contract'
import type { Middleware } from './koa.ts'

/**
 * The provider also accepts its paths in capital letters and with a slash at the end. Rate limits recognize requests by
 * their path, so only one spelling of each path is accepted. A request with another spelling gets a 404.
 */
export const refuseOtherSpellings: Middleware = async ({ path }, next) => {
  const [, first = ''] = path.split('/')
  const lower = path.toLowerCase()
  const isOther =
    (path !== '/' && path.endsWith('/')) ||
    first !== first.toLowerCase() ||
    (lower !== path && REALM_ENDPOINTS.includes(lower))
  if (!isOther) await next()
}
