import { randomBytes } from 'node:crypto'
import { chmod, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The permission bits of the group and of others. The files in the tool's folder have none of these bits. */
const OTHERS_PERMISSIONS = 0o077

/**
 * Reads a file; undefined if it does not exist. If others can read the file, for example after a backup was restored,
 * its permissions are corrected.
 */
export async function readOwn(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (file === undefined) return undefined
  try {
    const { mode } = await file.stat()
    if ((mode & OTHERS_PERMISSIONS) !== 0) await file.chmod(0o600).catch(() => undefined)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Replaces the file atomically, so that a crash leaves the old or the new content. */
export async function replaceOwn(path: string, text: string): Promise<void> {
  await chmod(dirname(path), 0o700)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
