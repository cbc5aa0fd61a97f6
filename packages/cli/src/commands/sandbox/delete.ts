import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { CURRENT_SANDBOX, sandboxReference } from '../argument-parsers.ts'

/** The service responds when everything is removed, or after 30 seconds. */
const DELETE_TIMEOUT_S = 40

export function register(parent: Command, context: Context): void {
  parent
    .command('delete')
    .description('Delete a sandbox and all its data')
    .argument('[sandbox]', CURRENT_SANDBOX, sandboxReference)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (reference: string | undefined, { yes }: { yes?: boolean }) => {
      const { sandboxToChange } = await import('../../sandboxes/sandbox-for.ts')
      const { confirm } = await import('../../output/confirm.ts')
      const { safeText } = await import('../../output/safe-text.ts')
      const { sandboxId, label } = await sandboxToChange(context, reference)
      await confirm(context, `Delete ${label} and all its data?`, { yes, isNamed: reference !== undefined })
      const { sandboxes } = await context.provisioning(DELETE_TIMEOUT_S)
      await sandboxes.delete(sandboxId)
      await forgetSelection(context, sandboxId)
      // The API answers without a body, so this record is the tool's own.
      context.out.answer({ sandboxId, deleted: true }, () => `Deleted ${safeText(label)}.`)
    })
}

/** Clears the folder's selection if it names the deleted sandbox, so that later commands do not try to use it. */
async function forgetSelection(context: Context, sandboxId: string): Promise<void> {
  const { clearFolder, folderSandbox } = await import('../../sandboxes/folder-sandbox.ts')
  const selected = await folderSandbox(context).catch(() => undefined)
  if (selected?.sandboxId === sandboxId) await clearFolder(context).catch(() => undefined)
}
