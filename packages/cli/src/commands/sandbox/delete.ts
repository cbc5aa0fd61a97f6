import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { sandboxId } from '../argument-parsers.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('delete')
    .description('Delete a sandbox and all its data')
    .argument('<id>', 'id of the sandbox', sandboxId)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      const { confirm } = await import('../../output/confirm.ts')
      await confirm(context, `Delete ${id} and all its data?`, yes)
      const { sandboxes } = await context.provisioning()
      await sandboxes.delete(id)
      // The API answers with no body.
      context.out.answer({ sandboxId: id, deleted: true }, () => `Deleted ${id}.`)
    })
}
