import { connect } from '../../clients.ts'
import type { Context } from '../../context.ts'
import { configFolder } from '../../session/config-folder.ts'
import { withLock } from '../../session/lock.ts'
import { openStore } from '../../session/open-store.ts'
import { revoke } from '../../session/revoke.ts'

/** The store is cleared first: whatever the realm says, nobody is signed in here any more. */
export async function logOut(context: Context): Promise<void> {
  const { out } = context
  const service = context.service().url
  const store = openStore(context)
  const session = await withLock(configFolder(context), async () => {
    const found = await store.read(service)
    await store.remove(service)
    return found
  })
  const revoked = session === undefined ? false : await revoke(connect, session)
  const wasSignedIn = session !== undefined
  out.answer({ service, wasSignedIn, revoked }, () =>
    wasSignedIn ? `Signed out of ${service}.` : `You were not signed in to ${service}.`,
  )
  if (wasSignedIn && !revoked) {
    out.note(`The realm could not be told: the session is forgotten here, and ends there when unused for 30 days.`)
  }
}
