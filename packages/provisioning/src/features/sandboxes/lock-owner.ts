import { problems } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { lockDeveloper } from './sandboxes.store.ts'

/**
 * Locks the developer whose sandbox is created or reset. Throws if the operator has disabled the account since the
 * caller was authenticated.
 */
export async function lockOwner(tx: Tx, developerId: string): Promise<void> {
  const { isDisabled } = await lockDeveloper(tx, developerId)
  if (isDisabled) throw problems.unauthenticated('This account is disabled: ask the operator of the service')
}
