import { chmod, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/** As the engine names what it keeps: by its version, and by the user. */
const KEPT = /^(v.+)-(\d+)$/

/**
 * Compiled code that stacks use and cannot change: one that could would run its own in all others. The engine keeps it
 * apart for each user, readable for that user alone. So we compile it, and each user is shown ours.
 */
export function createSharedCompileCache(folder: string) {
  const own = `${process.getuid?.() ?? 0}`
  const ofUser = async (user: string) => {
    const names = await readdir(folder).catch(() => [])
    return names.filter((name) => KEPT.exec(name)?.[2] === user)
  }
  return {
    /** Lets others read what was compiled by now. */
    async publish(): Promise<void> {
      await mkdir(folder, { recursive: true })
      await chmod(folder, 0o755)
      for (const name of await ofUser(own)) {
        const kept = join(folder, name)
        await chmod(kept, 0o755)
        for (const file of await readdir(kept)) await chmod(join(kept, file), 0o644).catch(() => undefined)
      }
    },
    async linkFor(user: number): Promise<void> {
      for (const name of await ofUser(own)) {
        const link = join(folder, `${KEPT.exec(name)![1]}-${user}`)
        if ((await readlink(link).catch(() => undefined)) === name) continue
        await rm(link, { recursive: true, force: true })
        await symlink(name, link).catch(ignoreExisting)
      }
    },
    async forget(user: number): Promise<void> {
      for (const name of await ofUser(`${user}`)) await rm(join(folder, name), { recursive: true, force: true })
    },
  }
}

/** Two processes of a sandbox may start at once. */
function ignoreExisting(err: NodeJS.ErrnoException): void {
  if (err.code !== 'EEXIST') throw err
}
