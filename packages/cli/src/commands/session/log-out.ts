import { LIMITS } from '@storey/contract'
import { connect } from '../../clients.ts'
import type { Context } from '../../context.ts'
import { configFolder } from '../../session/config-folder.ts'
import { withLock } from '../../session/lock.ts'
import { openStore } from '../../session/open-store.ts'
import { revoke } from '../../session/revoke.ts'
import type { Session, SessionStore } from '../../session/session.ts'
import { isBroken } from '../../session/store-errors.ts'

/**
 * Clears the store before it calls the realm, so that the user is signed out on this machine even if the call to the
 * realm fails.
 */
export async function logOut(context: Context): Promise<void> {
  const { out } = context
  const service = context.service().url
  const store = openStore(context)
  const { session, wasBroken, storeError } = await clearStore(configFolder(context), store, service)
  const revoked = session === undefined ? false : await revoke(connect, session)
  if (storeError !== undefined) {
    if (revoked) out.note(`The session at ${service} has ended, but could not be removed from the store.`)
    throw storeError
  }
  const wasSignedIn = session !== undefined
  out.answer({ service, wasSignedIn, revoked }, () =>
    wasSignedIn ? `Signed out of ${service}.` : `You were not signed in to ${service}.`,
  )
  if (wasBroken) out.note(`${store.place} was damaged and has been removed: sign in to your services again.`)
  if (wasSignedIn && !revoked) {
    out.note(
      `The realm did not revoke the session: it has been removed from this machine, but the realm accepts it until it expires. The realm of Storey ends it after ${LIMITS.offlineSessionDays} days without use.`,
    )
  }
}

interface ClearedStore {
  session: Session | undefined
  wasBroken: boolean
  /** Why the store could not be cleared. A session that could be read is revoked nevertheless. */
  storeError?: unknown
}

async function clearStore(folder: string, store: SessionStore, service: string): Promise<ClearedStore> {
  let wasBroken = false
  const find = () =>
    store.read(service).catch((error) => {
      if (!isBroken(error)) throw error
      wasBroken = true
      return undefined
    })
  try {
    return await withLock(folder, async () => {
      const session = await find()
      try {
        await store.remove(service)
        return { session, wasBroken }
      } catch (storeError) {
        return { session, wasBroken, storeError }
      }
    })
  } catch (storeError) {
    return { session: await find().catch(() => undefined), wasBroken, storeError }
  }
}
