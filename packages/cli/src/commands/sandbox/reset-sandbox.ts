import type { ProvisioningClient, SandboxRecord } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { CliError, EXIT } from '../../errors.ts'
import { startProgress } from '../../output/progress.ts'
import { describeSandbox } from './describe-sandbox.ts'
import { LOST_RESPONSE_POLLS_MS, mayHaveArrived } from './may-have-arrived.ts'
import { pollOnce, waitUntilReady } from './wait-until-ready.ts'

export async function resetSandbox(context: Context, id: string, wait: boolean): Promise<void> {
  const { out, clock } = context
  const client = await context.provisioning()
  const since = clock.now()
  context.interruptNote = `The reset of ${id} may be in progress: \`svc sandbox list\` shows its status.`
  const accepted = await sendReset(context, client, id)
  const progress = startProgress(out, clock.now)
  try {
    const record = wait
      ? await waitUntilReady(context, client, accepted, { progress, since, action: 'reset' })
      : accepted
    progress.end()
    out.answer(record, () => describeSandbox(context, record))
  } finally {
    progress.end()
  }
}

/** Without a response, the reset is not sent again: a second reset would delete what was written after the first. */
async function sendReset({ clock }: Context, { sandboxes }: ProvisioningClient, id: string): Promise<SandboxRecord> {
  try {
    return await sandboxes.reset(id)
  } catch (error) {
    if (!mayHaveArrived(error)) throw error
    for (const pauseMs of LOST_RESPONSE_POLLS_MS) {
      await clock.sleep(pauseMs)
      const seen = await pollOnce(() => sandboxes.get(id))
      if (seen?.status === 'provisioning') return seen
    }
    throw new CliError(`No answer from the service: ${id} may or may not have been reset.`, {
      code: 'UNREACHABLE',
      exitCode: EXIT.unreachable,
      next: 'Check with `svc sandbox list`, and run the command again if the sandbox was not reset.',
      cause: error,
    })
  }
}
