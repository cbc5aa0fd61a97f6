import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents, one level at a time, because Node's recursive `mkdir` never returns on some file
 * systems, such as /proc.
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  for (const each of await missing(folder)) {
    await mkdir(each, mode).catch((error: NodeJS.ErrnoException) => {
      // Another process may have created the folder.
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** The folders of a path that do not exist yet, topmost first. */
async function missing(folder: string): Promise<string[]> {
  const found: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    const entry = await stat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (entry?.isDirectory()) return found.reverse()
    if (entry !== undefined)
      throw Object.assign(new Error(`${at} is not a folder`), { code: 'ENOTDIR', syscall: 'mkdir', path: at })
    if (dirname(at) === at)
      throw Object.assign(new Error(`${at} does not exist`), { code: 'ENOENT', syscall: 'mkdir', path: at })
    found.push(at)
  }
}
