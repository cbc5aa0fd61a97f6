import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxId } from '../argument-parsers.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('reset')
    .description('Reset a sandbox to its initial state: same id, address, token and building')
    .argument('<id>', 'id of the sandbox', sandboxId)
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--no-wait', 'do not wait until it is ready')
    .action(async (id: string, options: { yes?: boolean; wait: boolean }) => {
      const { confirm } = await import('../../output/confirm.ts')
      const { resetSandbox } = await import('./reset-sandbox.ts')
      await confirm(context, `Delete all data in ${id} and reset it to its initial state?`, options.yes)
      await resetSandbox(context, id, options.wait)
    })
}
