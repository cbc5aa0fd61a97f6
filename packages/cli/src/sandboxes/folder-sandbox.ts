import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../context.ts'
import { configFolder, makeConfigFolder } from '../session/config-folder.ts'
import { withLock } from '../session/lock.ts'
import { readOwn, replaceOwn } from '../session/own-file.ts'
import { storeUnusable } from '../session/store-errors.ts'

/** The sandbox that `svc use` selected. */
export interface FolderSandbox {
  sandboxId: string
  name: string
  /** The folder for which the sandbox was selected. Folders below this folder use the same sandbox. */
  folder: string
}

/** Keys are the folder, then the address of the service, because an id is valid for one service only. */
type Selections = Record<string, Record<string, { sandboxId: string; name: string }>>

const fileOf = (context: Context) => join(configFolder(context), 'folders.json')

/** The selection of this folder, or else of the nearest folder above it that has a selection. */
export async function folderSandbox(context: Context): Promise<FolderSandbox | undefined> {
  const selections = await readSelections(context)
  const service = context.service().url
  for (let folder = await resolvedPath(context.cwd); ; folder = dirname(folder)) {
    const found = selections[folder]?.[service]
    if (found !== undefined) return { ...found, folder }
    if (dirname(folder) === folder) return undefined
  }
}

export async function selectForFolder(context: Context, sandboxId: string, name: string): Promise<FolderSandbox> {
  const folder = await resolvedPath(context.cwd)
  await change(context, (selections) => {
    selections[folder] = { ...selections[folder], [context.service().url]: { sandboxId, name } }
  })
  return { sandboxId, name, folder }
}

/** Removes the selection that applies to this folder, even if a parent folder has the selection. */
export async function clearFolder(context: Context): Promise<FolderSandbox | undefined> {
  const current = await folderSandbox(context)
  if (current === undefined) return undefined
  await change(context, (selections) => {
    delete selections[current.folder]?.[context.service().url]
    if (Object.keys(selections[current.folder] ?? {}).length === 0) delete selections[current.folder]
  })
  return current
}

async function change(context: Context, edit: (selections: Selections) => void): Promise<void> {
  const path = fileOf(context)
  await makeConfigFolder(dirname(path))
  await withLock(dirname(path), async () => {
    const selections = await readSelections(context)
    edit(selections)
    await replaceOwn(path, `${JSON.stringify(selections, null, 2)}\n`).catch((error) => {
      throw storeUnusable(path, error)
    })
  })
}

/** A damaged file counts as empty, because the user can easily select again. */
async function readSelections(context: Context): Promise<Selections> {
  const path = fileOf(context)
  const text = await readOwn(path).catch((error) => {
    throw storeUnusable(path, error)
  })
  if (text === undefined) return {}
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Selections) : {}
  } catch {
    return {}
  }
}

/** The real path of a folder, so that symbolic links lead to the same selection. */
const resolvedPath = async (folder: string): Promise<string> => await realpath(folder).catch(() => folder)
