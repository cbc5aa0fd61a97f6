import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxId } from '../argument-parsers.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('reset')
    .description('Wipe a sandbox and seed it anew: same id, address, token and building')
    .argument('<id>', 'the sandbox', sandboxId)
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'answer once it is accepted')
    .action(async (id: string, options: { yes?: boolean; wait: boolean }) => {
      const { confirm } = await import('../../output/confirm.ts')
      const { resetSandbox } = await import('./reset-sandbox.ts')
      await confirm(context, `Wipe all that is in ${id}, and seed it anew?`, options.yes)
      await resetSandbox(context, id, options.wait)
    })
}
