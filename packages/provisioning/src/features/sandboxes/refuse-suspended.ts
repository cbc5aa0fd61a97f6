import { problems } from '@storey/contract'
import type { SandboxRow } from './sandboxes.store.ts'

/** Throws while the sandbox is suspended. */
export function refuseSuspended({
  suspendedAt,
  suspensionReason,
}: Pick<SandboxRow, 'suspendedAt' | 'suspensionReason'>): void {
  if (suspendedAt !== null) throw problems.sandboxSuspended(suspensionReason)
}
