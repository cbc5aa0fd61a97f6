import type { Database } from '@storey/kit/database'
import * as accounts from './accounts/accounts.store.ts'
import * as clients from './clients/clients.store.ts'
import * as models from './realm/models.store.ts'

/** Removes every account, client, session and grant of a tenant. */
export async function removeTenant(database: Database, tenantId: string): Promise<void> {
  await database.transaction(async (tx) => {
    const people = await accounts.listOfTenant(tx, tenantId)
    const clientIds = await clients.deleteClients(tx, { tenantId })
    await accounts.deleteOfTenant(tx, tenantId)
    await models.deleteOfClients(tx, 'sandboxes', clientIds)
    await models.deleteOfAccounts(
      tx,
      'sandboxes',
      people.map((account) => account.id),
    )
  })
}
