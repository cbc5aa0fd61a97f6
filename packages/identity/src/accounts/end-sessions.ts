import type { Tx } from '@storey/kit/database'
import * as models from '../realm/models.store.ts'
import type { RealmName } from '../realm/names.ts'
import * as store from './accounts.store.ts'

/**
 * Ends all sessions of these accounts. A sign-in or request that is in progress can still write a session or a code
 * after the deletion. These have the earlier session version, so they are refused.
 */
export async function endSessions(tx: Tx, realm: RealmName, accountIds: readonly string[]): Promise<void> {
  await store.raiseSessionVersions(tx, realm, accountIds)
  await models.deleteOfAccounts(tx, realm, accountIds)
}
