import type { Context } from '../context.ts'
import { wrongUsage } from '../errors.ts'
import { sandboxOfToken } from '../sandbox-token.ts'
import { findSandbox } from './find-sandbox.ts'
import { folderSandbox } from './folder-sandbox.ts'

/**
 * The sandbox of a command that calls the provisioning service, and its name in messages. For a command that calls the
 * API of the sandbox itself, `target.ts` chooses the sandbox.
 */
export interface ChosenSandbox {
  sandboxId: string
  label: string
}

const NAME_ONE = 'Name a sandbox by its id, slug or name, or select one for this folder with `svc use`.'

/** The named sandbox, else the one that `svc use` selected. */
export async function sandboxFor(context: Context, reference: string | undefined): Promise<ChosenSandbox> {
  if (reference !== undefined) return await named(context, reference)
  const selected = await ofFolder(context)
  if (selected !== undefined) return selected
  throw wrongUsage('No sandbox is named.', NAME_ONE)
}

/** The named sandbox, else that of the shell that ran `sandbox connect`, else that of the folder. */
export async function sandboxOfShell(context: Context, reference: string | undefined): Promise<ChosenSandbox> {
  const sandboxId = connectedTo(context)
  return reference === undefined && sandboxId !== undefined
    ? { sandboxId, label: sandboxId }
    : await sandboxFor(context, reference)
}

/** For commands that destroy data. If shell and folder select different sandboxes, the user has to name one. */
export async function sandboxToChange(context: Context, reference: string | undefined): Promise<ChosenSandbox> {
  if (reference !== undefined) return await named(context, reference)
  const [connected, selected] = [connectedTo(context), await ofFolder(context)]
  if (connected === undefined || selected?.sandboxId === connected) return await sandboxFor(context, undefined)
  if (selected === undefined) return { sandboxId: connected, label: connected }
  throw wrongUsage(
    `This shell is connected to ${connected}, but this folder uses ${selected.label}.`,
    'Name one of them.',
  )
}

const connectedTo = ({ env }: Context): string | undefined => sandboxOfToken(env.SVC_API_TOKEN)

async function named(context: Context, reference: string): Promise<ChosenSandbox> {
  const { sandboxId, record } = await findSandbox(context, reference)
  return { sandboxId, label: record === undefined ? sandboxId : `${record.name} (${sandboxId})` }
}

async function ofFolder(context: Context): Promise<ChosenSandbox | undefined> {
  const selected = await folderSandbox(context)
  return selected && { sandboxId: selected.sandboxId, label: `${selected.name} (${selected.sandboxId})` }
}
