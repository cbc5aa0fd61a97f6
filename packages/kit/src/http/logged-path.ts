import type { ObservedRequest } from './observe.ts'

/** API keys, and tokens in JWT form, that a client has put into a path by mistake. */
const SECRETS = /svc_[0-9A-Za-z]{8,}|eyJ[\w-]{8,}(?:\.[\w-]*)*/g

/**
 * The path of a request for the access log and for traces, at most this long, and without its query, whose values may be
 * secrets. Paths below the realms may contain the id of a sign-in, so only those that are known are returned.
 */
export function loggedPath(
  { target, part, route }: Pick<ObservedRequest, 'target' | 'part' | 'route'>,
  maxLength: number,
): string {
  if (part === 'realms' && route.endsWith('*')) return route
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  return path.slice(0, maxLength).replace(SECRETS, '[hidden]')
}
