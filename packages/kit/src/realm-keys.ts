import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from './clock.ts'
import { type Log, silentLog } from './log.ts'
import { createTokenBucket } from './token-bucket.ts'

const FETCH_LIMIT_MS = 5_000
/** After this time the keys are fetched again, while the cached ones stay in use. */
const FRESH_MS = 5 * 60_000
/**
 * If the realm is unreachable for this long, the cached keys expire, because a withdrawn key must not stay valid for
 * ever.
 */
const TRUSTED_MS = 24 * 60 * 60_000
/**
 * How often the keys are fetched because of unknown keys, however many tokens name unknown keys. More than one fetch is
 * permitted, because a realm may sign with a new key right after a fetch, and a client whose valid token is refused
 * signs its user out.
 */
const UNKNOWN_KEY_FETCHES = { burst: 3, perSecond: 0.1 }
/** The pause between two fetches while the realm is unreachable and the cached keys are in use. */
const UNREACHABLE_PAUSE_MS = 10_000
/** The pause between two fetches while there are no keys, or all have expired. */
const NO_KEYS_PAUSE_MS = 1_000

/** The keys for a token are unavailable, so the token cannot be validated now. */
export class RealmUnreachable extends Error {
  constructor(issuer: string, cause?: unknown) {
    super(`The keys of ${issuer} cannot be fetched`, { cause })
    this.name = 'RealmUnreachable'
  }
}

/**
 * The public keys of a realm, found by OpenID discovery. An outage of less than a day does not affect tokens that are
 * signed with a cached key, a new key is found within seconds, and many tokens do not cause many fetches. One line is
 * logged when the realm becomes unreachable, and one when it is reachable again.
 */
export function createRealmKeys(issuer: string, clock: Clock, log: Log = silentLog): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let isUnreachable = false
  let fetching: Promise<void> | undefined
  const unknownKeyFetches = createTokenBucket(UNKNOWN_KEY_FETCHES, () => clock.now().getTime())
  /**
   * How many milliseconds ago `at` was. If `at` is in the future, the clock was set back meanwhile, and `FRESH_MS` is
   * assumed.
   */
  const since = (at: number) => {
    const passed = clock.now().getTime() - at
    return passed < 0 ? FRESH_MS : passed
  }

  async function refresh(): Promise<void> {
    const requestedAt = clock.now().getTime()
    triedAt = requestedAt
    try {
      keys = createLocalJWKSet(await fetchKeys(issuer))
    } catch (err) {
      if (!isUnreachable)
        log.warn(
          { err, issuer },
          'identity provider unreachable, tokens get 503 unless they are signed with a valid cached key',
        )
      isUnreachable = true
      throw new RealmUnreachable(issuer, err)
    }
    fetchedAt = requestedAt
    if (isUnreachable) log.info({ issuer }, 'identity provider reachable again')
    isUnreachable = false
  }

  /**
   * Fetches the keys; concurrent callers share one fetch. Rejects if the fetch fails. Rejects without a fetch if the
   * last fetch began less than `pauseMs` ago and failed.
   */
  async function refreshAfter(pauseMs: number): Promise<void> {
    if (!fetching && isUnreachable && since(triedAt) < pauseMs) throw new RealmUnreachable(issuer)
    fetching ??= refresh().finally(() => {
      fetching = undefined
    })
    await fetching
  }

  /** Fetches the keys because of an unknown key. Returns false, without a fetch, after too many such fetches. */
  async function refreshForUnknownKey(): Promise<boolean> {
    if (!fetching && !isUnreachable && !unknownKeyFetches.take()) return false
    await refreshAfter(UNREACHABLE_PAUSE_MS)
    return true
  }

  return async (header, token) => {
    const find = async () => {
      try {
        return await keys!(header, token)
      } catch (err) {
        if (err instanceof errors.JWKSNoMatchingKey) return undefined
        throw err
      }
    }
    let isJustFetched = false
    if (since(fetchedAt) >= TRUSTED_MS) {
      isJustFetched = fetching === undefined
      await refreshAfter(NO_KEYS_PAUSE_MS)
    } else if (since(fetchedAt) >= FRESH_MS) refreshAfter(UNREACHABLE_PAUSE_MS).catch(() => undefined)
    let key = await find()
    if (key || isJustFetched) return found(key)
    // A fetch that is in progress may have read the keys before the new key was published. If the key is not found
    // after it, the keys are fetched again.
    if (fetching) {
      await fetching.catch(() => undefined)
      key = await find()
    }
    if (key || !(await refreshForUnknownKey())) return found(key)
    return found(await find())
  }
}

function found<T>(key: T | undefined): T {
  if (key === undefined) throw new errors.JWKSNoMatchingKey()
  return key
}

async function fetchKeys(issuer: string): Promise<JSONWebKeySet> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = (await fetchJson(address)) as { issuer?: unknown; jwks_uri?: unknown }
  if (found.issuer !== issuer)
    throw new Error(`${address} names the issuer ${JSON.stringify(found.issuer)}: configure exactly this text`)
  if (typeof found.jwks_uri !== 'string') throw new Error(`${address} has no jwks_uri`)
  return (await fetchJson(found.jwks_uri)) as JSONWebKeySet
}

async function fetchJson(address: string): Promise<unknown> {
  const response = await fetch(address, { signal: AbortSignal.timeout(FETCH_LIMIT_MS), redirect: 'error' })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return await response.json()
}
