import { problems } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { lockSandbox } from './keep-sandbox.store.ts'

/** Locks the sandbox, so that its removal waits until the transaction ends. Throws if a removal has already begun. */
export async function keepSandbox(tx: Tx, sandboxId: string): Promise<void> {
  if (!(await lockSandbox(tx, sandboxId))) throw problems.notFound('sandbox')
}
