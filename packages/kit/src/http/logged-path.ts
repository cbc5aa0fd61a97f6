import type { ObservedRequest } from './observe.ts'

/** The scheme and the authority of a target in absolute form. The text before the last `@` can contain a password. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/(?:.*@)?[^/]*/i
/** API keys, tokens in JWT form, and secrets of webhooks, whose base64 may contain `/`. */
const SECRETS = /svc_[0-9A-Za-z]{8,}|eyJ[\w-]{8,}(?:\.[\w-]*)*|whsec_.*/g
/** A percent-encoded character, which may have been encoded several times. */
const ENCODED = /%(?:25)*([\da-f]{2})/gi
/**
 * Words of at least the length of a client secret, which is the shortest secret without a prefix. The pattern matches
 * only from the start of a word, so that the many paths with ids are searched quickly.
 */
const LONG = /(?<![\w-])[\w-]{40,}/g
const HEX = /[\da-f]{40}/i
/** Matches every path that `SECRETS`, `ENCODED` or `LONG` matches. Most paths need only this search. */
const SUSPICIOUS = /%|svc_|eyJ|whsec_|(?<![\w-])[\w-]{40}/

/** The path of a request target, without origin and query. */
export function pathOf(target: string): string {
  const path = before('#', before('?', target))
  return path.startsWith('/') ? path : path.replace(ORIGIN, '') || '/'
}

/**
 * The path of a request for the access log and for traces, cut at `maxLength`. The query is left out, since its values
 * can be secrets, and secrets that a client has put into the path by mistake are hidden. A path of a realm can contain
 * the id of a sign-in, so if no specific route matches it, the pattern `/realms/:realm/*` is returned instead.
 */
export function loggedPath(
  { target, part, route }: Pick<ObservedRequest, 'target' | 'part' | 'route'>,
  maxLength: number,
): string {
  if (part === 'realms' && route.endsWith('*')) return route
  const path = pathOf(target)
  if (!SUSPICIOUS.test(path)) return path.slice(0, maxLength)
  const decoded = path.replace(ENCODED, decodeUnreserved)
  const hidden = decoded.replace(SECRETS, '[hidden]').replace(LONG, hideRandom)
  return (hidden === decoded ? path : hidden).slice(0, maxLength)
}

function before(mark: string, text: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

/**
 * Decodes only characters that need no encoding: they are enough for the patterns for secrets. A decoded line break,
 * for example, could forge a log line.
 */
function decodeUnreserved(encoded: string, hex: string): string {
  const character = String.fromCharCode(Number.parseInt(hex, 16))
  return /[\w.~-]/.test(character) ? character : encoded
}

/** Long names that people choose rarely have both digits and upper-case letters, or 40 hexadecimal digits in a row. */
const hideRandom = (text: string): string =>
  /\d/.test(text) && (/[A-Z]/.test(text) || HEX.test(text)) ? '[hidden]' : text
