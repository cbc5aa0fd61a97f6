import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { deleteRow, type SandboxRow } from '../features/sandboxes/sandboxes.store.ts'
import type { StackRuntime } from '../stacks/stack-runtime.ts'
import type { Tenants } from '../tenants/tenants.ts'

export interface RemoveDeps {
  control: Database
  tenants: Tenants
  runtime: StackRuntime
  stopStack(sandboxId: string): Promise<void>
  log: Log
}

/** The row goes last: as long as anything is left, something says so. */
export async function remove(
  { control, tenants, runtime, stopStack, log }: RemoveDeps,
  row: SandboxRow,
): Promise<void> {
  await stopStack(row.id)
  await tenants.drop(row.id)
  await runtime.removeFiles(row.id)
  await deleteRow(control, row.id)
  log.info({ sandboxId: row.id, slug: row.slug }, 'sandbox removed')
}
