import type { Context } from '../../context.ts'
import { CliError, wrongUsage } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import { sandboxOfToken } from '../../sandbox-token.ts'
import { findSandbox } from '../../sandboxes/find-sandbox.ts'
import { clearFolder, type FolderSandbox, folderSandbox, selectForFolder } from '../../sandboxes/folder-sandbox.ts'

export async function useSandbox(context: Context, reference: string | undefined, clear: boolean): Promise<void> {
  if (clear && reference !== undefined) throw wrongUsage('--clear takes no sandbox.', 'Use --clear alone, or omit it.')
  if (clear) return await clearSelection(context)
  const selected = reference === undefined ? await folderSandbox(context) : await select(context, reference)
  if (selected === undefined) {
    throw new CliError(`No sandbox is selected for ${context.cwd}.`, {
      code: 'NONE_SELECTED',
      next: 'Select one with `svc use <sandbox>`; `svc sandbox list` shows yours.',
    })
  }
  context.out.answer(selected, () => `${selected.folder} uses ${labelOf(selected)}.`)
  const shadow = sandboxOfToken(context.env.SVC_API_TOKEN)
  if (shadow !== undefined && shadow !== selected.sandboxId && context.env.SVC_API_URL) {
    context.out.note(
      `This shell is connected to ${safeText(shadow)}, which takes precedence: run \`unset SVC_API_URL SVC_API_TOKEN\` to use the selection.`,
    )
  }
}

/** Reads the record, so that a wrong id is reported now and not by the next command. */
async function select(context: Context, reference: string): Promise<FolderSandbox> {
  const { sandboxId, record } = await findSandbox(context, reference)
  const { name } = record ?? (await (await context.provisioning()).sandboxes.get(sandboxId))
  return await selectForFolder(context, sandboxId, name)
}

async function clearSelection(context: Context): Promise<void> {
  const ended = await clearFolder(context)
  context.out.answer({ cleared: ended ?? null }, () =>
    ended === undefined ? 'No sandbox was selected.' : `${ended.folder} no longer uses ${labelOf(ended)}.`,
  )
}

const labelOf = ({ name, sandboxId }: FolderSandbox) => safeText(`${name} (${sandboxId})`)
