import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { CURRENT_SANDBOX, sandboxReference } from '../argument-parsers.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('reset')
    .description('Reset a sandbox to its initial state; its id, address, token and building stay the same')
    .argument('[sandbox]', CURRENT_SANDBOX, sandboxReference)
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--no-wait', 'do not wait until the sandbox is ready')
    .action(async (reference: string | undefined, options: { yes?: boolean; wait: boolean }) => {
      const { sandboxToChange } = await import('../../sandboxes/sandbox-for.ts')
      const { confirm } = await import('../../output/confirm.ts')
      const { resetSandbox } = await import('./reset-sandbox.ts')
      const { sandboxId, label } = await sandboxToChange(context, reference)
      await confirm(context, `Delete all data in ${label} and reset it to its initial state?`, {
        yes: options.yes,
        isNamed: reference !== undefined,
      })
      await resetSandbox(context, sandboxId, options.wait)
    })
}
