import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { SANDBOX_ARGUMENT, sandboxReference } from '../argument-parsers.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('reset')
    .description('Reset a sandbox to its initial state: same id, address, token and building')
    .argument('<sandbox>', SANDBOX_ARGUMENT, sandboxReference)
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--no-wait', 'do not wait until it is ready')
    .action(async (reference: string, options: { yes?: boolean; wait: boolean }) => {
      const { findSandbox } = await import('../../sandboxes/find-sandbox.ts')
      const { confirm } = await import('../../output/confirm.ts')
      const { resetSandbox } = await import('./reset-sandbox.ts')
      const { sandboxId, record } = await findSandbox(context, reference)
      const called = record === undefined ? sandboxId : `${record.name} (${sandboxId})`
      await confirm(context, `Delete all data in ${called} and reset it to its initial state?`, options.yes)
      await resetSandbox(context, sandboxId, options.wait)
    })
}
