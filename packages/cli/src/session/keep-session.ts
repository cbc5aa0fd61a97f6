import { None, processRefreshTokenResponse, refreshTokenGrantRequest } from 'oauth4webapi'
import type { Clock } from '../environment.ts'
import { CliError } from '../errors.ts'
import { withLock } from './lock.ts'
import { requireJwt, sessionOf } from './new-session.ts'
import { checked, clientOf, discoverRealm, type Fetch, optionsFor, Refusal } from './realm.ts'
import type { Session, SessionStore } from './session.ts'

/** A token this close to its expiry could expire in transit. */
const MARGIN_MS = 30_000

export interface SessionKeeper {
  /** A token that does not expire soon. */
  token(): Promise<string>
  /** Gets a new token after the service has refused the current one. Throws if that fails. */
  renew(): Promise<boolean>
}

export interface KeeperOptions {
  store: SessionStore
  service: string
  /** The folder of the lock file. */
  folder: string
  fetch: Fetch
  clock: Clock
}

export function keepSession(options: KeeperOptions, first: Session): SessionKeeper {
  let current = first
  const isFresh = (session: Session) => session.expiresAt - options.clock.now() > MARGIN_MS

  /**
   * Refreshes the session. If another process has already refreshed it, uses the tokens of that process, because a
   * refresh token works only once.
   */
  async function refresh(): Promise<void> {
    await withLock(options.folder, async () => {
      const stored = await options.store.read(options.service)
      if (stored === undefined) throw signedOut()
      const isChanged = stored.accessToken !== current.accessToken
      current = isChanged && isFresh(stored) ? stored : await exchange(options, stored)
    })
  }

  return {
    async token() {
      if (!isFresh(current)) await refresh()
      return current.accessToken
    },
    async renew() {
      await refresh()
      return true
    },
  }
}

async function exchange({ store, service, fetch, clock }: KeeperOptions, session: Session): Promise<Session> {
  const realm = await discoverRealm(fetch, session.issuer)
  try {
    const client = clientOf(session.clientId)
    const response = refreshTokenGrantRequest(
      realm,
      client,
      None(),
      session.refreshToken,
      optionsFor(fetch, realm.issuer),
    )
    const tokens = await checked(realm, response, (answer) => processRefreshTokenResponse(realm, client, answer))
    const renewed = sessionOf(realm, client.client_id, tokens, clock.now(), session)
    // The session is stored before the check, because its refresh token may have replaced the previous one.
    await store.write(service, renewed)
    return requireJwt(renewed)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // With other errors, such as a wrong configuration of the client, the refresh token stays valid.
    if (error.error !== 'invalid_grant') throw refreshRefused(error)
    await store.remove(service)
    throw signedOut(error)
  }
}

function refreshRefused(cause: Refusal): CliError {
  return new CliError(`The identity provider refused to refresh your session: ${cause.message}.`, {
    code: 'REFRESH_REFUSED',
    next: 'Try again later. If the error persists, contact the operator of the service.',
    cause,
  })
}

function signedOut(cause?: unknown): CliError {
  return new CliError('Your session has ended.', {
    code: 'NOT_SIGNED_IN',
    next: 'Sign in again with `svc login`.',
    cause,
  })
}
