import { LIMITS } from '@storey/contract'
import { type ProvisioningClient, type SandboxRecord, StoreyError, UnreachableError } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { CliError, EXIT } from '../../errors.ts'
import type { Progress } from '../../output/progress.ts'

const { everyMs, giveUpMs } = LIMITS.createPolling
/** A small building is ready in a second or two, so the first polls come early. */
export const EARLY_POLLS_MS: readonly number[] = [300, 500, 800, 1200, 2000, 3000]

/** Polls a sandbox until it is ready. A temporary failure of the network or the service does not end the wait. */
export async function waitUntilReady(
  context: Context,
  client: ProvisioningClient,
  first: SandboxRecord,
  { progress, since, action }: { progress: Progress; since: number; action: 'created' | 'reset' },
): Promise<SandboxRecord> {
  const { clock } = context
  const pauses = [...EARLY_POLLS_MS]
  for (let record = first; ; ) {
    progress.show(`${record.name}: ${record.progress?.step ?? 'provisioning'}`, record.progress?.percent)
    if (record.status === 'ready') return record
    if (record.status === 'failed') throw provisioningFailed(record, action)
    const pause = pauses.shift() ?? everyMs
    if (clock.now() + pause - since > giveUpMs) throw notReadyInTime(record.name, record.sandboxId)
    await clock.sleep(pause)
    const seen = await pollOnce(() => client.sandboxes.get(record.sandboxId), progress)
    record = seen ?? record
  }
}

/** Returns undefined if the service is unavailable, because it may recover before the time limit. */
export async function pollOnce<T>(read: () => Promise<T>, progress?: Progress): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!isTemporary(error)) throw error
    progress?.show('The service is unavailable, retrying', undefined)
    return undefined
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof UnreachableError) return true
  return error instanceof StoreyError && (error.status >= 500 || error.status === 429 || error.status === 408)
}

function provisioningFailed({ name, sandboxId, failureReason }: SandboxRecord, action: string): CliError {
  return new CliError(`${name} could not be ${action}: ${failureReason ?? 'the service gave no reason'}.`, {
    code: 'PROVISIONING_FAILED',
    next: `Try again with \`svc sandbox reset ${sandboxId}\`, or remove it with \`svc sandbox delete ${sandboxId}\`.`,
    members: { sandboxId, failureReason },
  })
}

export function notReadyInTime(name: string, sandboxId?: string): CliError {
  return new CliError(`${name} is not ready after ${giveUpMs / 60_000} minutes.`, {
    code: 'GAVE_UP',
    exitCode: EXIT.unreachable,
    next: 'It may still become ready: check with `svc sandbox list`.',
    members: sandboxId === undefined ? {} : { sandboxId },
  })
}
