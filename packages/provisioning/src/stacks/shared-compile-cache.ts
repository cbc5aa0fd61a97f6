import { chmod, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Node names the folders of its compile cache by version and user id. */
const CACHE_NAME = /^(v.+)-(\d+)$/

/**
 * A compile cache that stacks can read but not write: a stack that could write it could run code in all other stacks.
 * Node keeps a private cache for each operating-system user, so the service fills its own cache, and links it for each
 * user under which a stack runs.
 */
export function createSharedCompileCache(folder: string) {
  const own = `${process.getuid?.() ?? 0}`
  const ofUser = async (user: string) => {
    const names = await readdir(folder).catch(() => [])
    return names.filter((name) => CACHE_NAME.exec(name)?.[2] === user)
  }
  return {
    /** Makes the compiled code readable for other users. */
    async publish(): Promise<void> {
      await chmod(folder, 0o755)
      for (const name of await ofUser(own)) {
        const kept = join(folder, name)
        await chmod(kept, 0o755)
        for (const file of await readdir(kept)) await chmod(join(kept, file), 0o644).catch(() => undefined)
      }
    },
    async linkFor(user: number): Promise<void> {
      for (const name of await ofUser(own)) {
        const link = join(folder, `${CACHE_NAME.exec(name)![1]}-${user}`)
        if ((await readlink(link).catch(() => undefined)) === name) continue
        await rm(link, { recursive: true, force: true })
        await symlink(name, link).catch(ignoreExisting)
      }
    },
    async removeFor(user: number): Promise<void> {
      for (const name of await ofUser(`${user}`)) await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}

/** Ignores that a link exists already, because two processes of a sandbox can start at the same time. */
function ignoreExisting(err: NodeJS.ErrnoException): void {
  if (err.code !== 'EEXIST') throw err
}
