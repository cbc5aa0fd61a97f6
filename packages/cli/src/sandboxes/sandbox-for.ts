import type { Context } from '../context.ts'
import { wrongUsage } from '../errors.ts'
import { findSandbox } from './find-sandbox.ts'
import { folderSandbox } from './folder-sandbox.ts'

/** The id of the named sandbox, else of the one that `svc use` selected. */
export async function sandboxFor(context: Context, reference: string | undefined): Promise<string> {
  if (reference !== undefined) return (await findSandbox(context, reference)).sandboxId
  const selected = await folderSandbox(context)
  if (selected !== undefined) return selected.sandboxId
  throw wrongUsage('No sandbox is named.', 'Use its id, slug or name, or select one for this folder with `svc use`.')
}
