import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Context } from '../../../context.ts'
import { CliError, EXIT } from '../../../errors.ts'
import { quotedPath } from '../quoted-path.ts'

/** A module is a separate project, so it must not be created inside a clone of Storey's repository. */
export async function refuseInsideClone(context: Context, slug: string, folder: string): Promise<void> {
  const clone = await cloneAbove(folder)
  if (clone === undefined) return
  const beside = relative(context.cwd, join(dirname(clone), basename(folder)))
  throw new CliError(`${folder} is inside the repository of Storey.`, {
    code: 'INSIDE_CLONE',
    exitCode: EXIT.refused,
    next: `Create the module beside the clone: svc module create ${slug} --dir ${quotedPath(context, beside)}`,
  })
}

async function cloneAbove(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isClone(at)) return at
    if (dirname(at) === at) return undefined
  }
}

async function isClone(folder: string): Promise<boolean> {
  try {
    const { name, workspaces } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return name === 'storey' && Array.isArray(workspaces)
  } catch {
    return false
  }
}
