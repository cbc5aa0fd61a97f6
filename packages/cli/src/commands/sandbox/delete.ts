import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { SANDBOX_ARGUMENT, sandboxReference } from '../argument-parsers.ts'

export function register(parent: Command, context: Context): void {
  parent
    .command('delete')
    .description('Delete a sandbox and all its data')
    .argument('<sandbox>', SANDBOX_ARGUMENT, sandboxReference)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (reference: string, { yes }: { yes?: boolean }) => {
      const { findSandbox } = await import('../../sandboxes/find-sandbox.ts')
      const { confirm } = await import('../../output/confirm.ts')
      const { safeText } = await import('../../output/safe-text.ts')
      const { sandboxId, record } = await findSandbox(context, reference)
      const called = record === undefined ? sandboxId : `${record.name} (${sandboxId})`
      await confirm(context, `Delete ${called} and all its data?`, yes)
      const { sandboxes } = await context.provisioning()
      await sandboxes.delete(sandboxId)
      // The API answers with no body.
      context.out.answer({ sandboxId, deleted: true }, () => `Deleted ${safeText(called)}.`)
    })
}
