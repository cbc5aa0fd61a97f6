import { problems } from '@storey/contract'
import type { Queryable } from '@storey/kit/database'
import { findOwn } from './sandboxes.store.ts'

/** The tenant of a sandbox of the developer. Throws a 404 for any other sandbox, as if it did not exist. */
export async function ownTenant(control: Queryable, sandboxId: string, developerId: string): Promise<string> {
  const row = await findOwn(control, sandboxId, developerId)
  if (!row) throw problems.notFound('sandbox')
  return row.tenantId
}
