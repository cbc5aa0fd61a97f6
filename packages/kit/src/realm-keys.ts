import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from './clock.ts'
import { type Log, silentLog } from './log.ts'

const FETCH_LIMIT_MS = 5_000
/** After this the keys are fetched again, while the ones at hand still serve. */
const FRESH_MS = 5 * 60_000
/** A realm out of reach for this long is believed no more: a key it has withdrawn must not live on here for good. */
const TRUSTED_MS = 24 * 60 * 60_000
/** Between two fetches for a key that is not there, however many tokens name one meanwhile. */
const UNKNOWN_KEY_PAUSE_MS = 10_000
/** Between two fetches while there is no key at all. */
const NO_KEYS_PAUSE_MS = 1_000

/** The keys that a token needs cannot be had now: whether it is good cannot be told. */
export class RealmUnreachable extends Error {
  constructor(issuer: string, cause?: unknown) {
    super(`The keys of ${issuer} cannot be fetched`, { cause })
    this.name = 'RealmUnreachable'
  }
}

/**
 * The public keys of a realm, found by OpenID discovery. An outage of the realm is not noticed by those whose keys are
 * known; a new key is found within seconds; and no flood of tokens, good or bad, becomes a flood of fetches. The log has
 * one line when the realm goes out of reach and one when it is back.
 */
export function createRealmKeys(issuer: string, clock: Clock, log: Log = silentLog): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let isAway = false
  let fetching: Promise<void> | undefined
  /** A moment that is yet to come was told by a clock that has been put back since: nobody knows how long ago it was. */
  const since = (at: number) => {
    const passed = clock.now().getTime() - at
    return passed < 0 ? FRESH_MS : passed
  }

  async function refresh(): Promise<void> {
    const asked = clock.now().getTime()
    triedAt = asked
    try {
      keys = createLocalJWKSet(await fetchKeys(issuer))
    } catch (err) {
      if (!isAway) log.warn({ err, issuer }, 'identity provider unreachable, callers get 503')
      isAway = true
      throw new RealmUnreachable(issuer, err)
    }
    fetchedAt = asked
    if (isAway) log.info({ issuer }, 'identity provider reachable again')
    isAway = false
  }

  /** Everyone who waits for keys waits for the same fetch. False: the last one was too short a time ago. */
  async function refreshAfter(pauseMs: number): Promise<boolean> {
    if (!fetching && since(triedAt) < pauseMs) {
      if (isAway) throw new RealmUnreachable(issuer)
      return false
    }
    fetching ??= refresh().finally(() => {
      fetching = undefined
    })
    await fetching
    return true
  }

  return async (header, token) => {
    if (since(fetchedAt) >= TRUSTED_MS) await refreshAfter(NO_KEYS_PAUSE_MS)
    else if (since(fetchedAt) >= FRESH_MS) refreshAfter(UNKNOWN_KEY_PAUSE_MS).catch(() => undefined)
    try {
      return await keys!(header, token)
    } catch (err) {
      if (!(err instanceof errors.JWKSNoMatchingKey) || !(await refreshAfter(UNKNOWN_KEY_PAUSE_MS))) throw err
      return await keys!(header, token)
    }
  }
}

async function fetchKeys(issuer: string): Promise<JSONWebKeySet> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = (await fetchJson(address)) as { issuer?: unknown; jwks_uri?: unknown }
  if (found.issuer !== issuer || typeof found.jwks_uri !== 'string')
    throw new Error(`${issuer} does not describe itself`)
  return (await fetchJson(found.jwks_uri)) as JSONWebKeySet
}

async function fetchJson(address: string): Promise<unknown> {
  const response = await fetch(address, { signal: AbortSignal.timeout(FETCH_LIMIT_MS), redirect: 'error' })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return await response.json()
}
