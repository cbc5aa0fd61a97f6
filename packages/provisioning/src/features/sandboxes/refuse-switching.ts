import { problems } from '@storey/contract'
import type { SandboxRow } from './sandboxes.store.ts'

const RETRY_S = 2

/** Throws a 503 during the seconds in which the sandbox changes its database server. */
export function refuseSwitching({ switchingAt }: Pick<SandboxRow, 'switchingAt'>): void {
  if (switchingAt !== null) throw problems.notReady('The sandbox is being moved to another database server', RETRY_S)
}
