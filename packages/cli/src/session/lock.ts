import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CliError } from '../errors.ts'
import { makeConfigFolder } from './config-folder.ts'
import { storeUnusable } from './store-errors.ts'

const RETRY_MS = 40
const GIVE_UP_MS = 30_000
/** A lock file older than this is from a process that was killed, because no process holds the lock this long. */
const STALE_MS = 20_000

/**
 * Runs the work in one process at a time. Otherwise two processes could use the same refresh token, which ends the
 * session, or overwrite each other's changes of a file in the folder.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, 'sessions.lock')
  const mark = `${process.pid} ${randomBytes(8).toString('hex')}`
  await makeConfigFolder(dirname(path))
  await take(path, mark)
  try {
    return await work()
  } finally {
    if ((await contentOf(path)) === mark) await rm(path, { force: true })
  }
}

async function take(path: string, mark: string): Promise<void> {
  for (const deadline = Date.now() + GIVE_UP_MS; Date.now() < deadline; ) {
    try {
      const file = await open(path, 'wx', 0o600)
      await file.writeFile(mark)
      return await file.close()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw storeUnusable(dirname(path), error)
    }
    const seen = await contentOf(path)
    if (seen !== undefined && (await isStale(path, seen))) await removeStale(path, seen)
    else await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + Math.random())))
  }
  throw new CliError(`Another svc process holds the lock ${path}.`, {
    code: 'LOCKED',
    next: 'End that process, or remove the file.',
  })
}

async function isStale(path: string, seen: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return false
  if (Date.now() - found.mtimeMs > STALE_MS) return true
  const pid = Number(seen.split(' ')[0])
  return Number.isInteger(pid) && pid > 0 && !isAlive(pid)
}

/** Removes the lock that was found stale. If another process has taken the lock since, its lock is restored. */
async function removeStale(path: string, seen: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await rename(path, aside)
    if ((await contentOf(aside)) !== seen) await link(aside, path)
  } catch {
    // Another process has removed or taken the lock at the same time. The caller tries again.
  }
  await rm(aside, { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined)
}
