import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from './clock.ts'

const FETCH_LIMIT_MS = 5_000
/** After this the keys are fetched anew, while the ones at hand still serve. */
const FRESH_MS = 5 * 60_000
/** A realm out of reach for this long is believed no more: a key it has withdrawn must not live on here. */
const BELIEVED_MS = 15 * 60_000
/** Between two looks for a key that is not there, however many tokens name one meanwhile. */
const UNKNOWN_KEY_PAUSE_MS = 10_000
/** Between two looks while there is no key at all. */
const NO_KEYS_PAUSE_MS = 1_000

/**
 * The public keys of a realm, found by OpenID discovery. A short outage of the realm is not noticed; a new key is found
 * within seconds; and no flood of tokens, good or bad, becomes a flood of fetches.
 */
export function createRealmKeys(issuer: string, clock: Clock): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined
  const since = (at: number) => clock.now().getTime() - at

  async function look(): Promise<void> {
    const asked = clock.now().getTime()
    triedAt = asked
    keys = createLocalJWKSet(await fetchKeys(issuer))
    fetchedAt = asked
  }

  /** Everyone who waits for keys waits for the same look; too soon after the last one there is none. */
  async function lookAfter(pauseMs: number): Promise<void> {
    if (!fetching && since(triedAt) < pauseMs) throw new Error('the realm was asked a moment ago')
    fetching ??= look().finally(() => {
      fetching = undefined
    })
    await fetching
  }

  return async (header, token) => {
    if (since(fetchedAt) >= BELIEVED_MS) await lookAfter(NO_KEYS_PAUSE_MS)
    else if (since(fetchedAt) >= FRESH_MS) lookAfter(UNKNOWN_KEY_PAUSE_MS).catch(() => undefined)
    try {
      return await keys!(header, token)
    } catch (err) {
      if (!(err instanceof errors.JWKSNoMatchingKey)) throw err
      await lookAfter(UNKNOWN_KEY_PAUSE_MS)
      return await keys!(header, token)
    }
  }
}

async function fetchKeys(issuer: string): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(FETCH_LIMIT_MS)
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = (await fetchJson(address, signal)) as { issuer?: unknown; jwks_uri?: unknown }
  if (found.issuer !== issuer || typeof found.jwks_uri !== 'string')
    throw new Error(`${issuer} does not describe itself`)
  return (await fetchJson(found.jwks_uri, signal)) as JSONWebKeySet
}

async function fetchJson(address: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(address, { signal, redirect: 'error' })
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return await response.json()
}
