import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeConfigFolder } from './config-folder.ts'
import { isSession, type Session, type SessionStore } from './session.ts'

/** A file that only its owner can read, replaced whole, so that a crash leaves the old one or the new one. */
export function fileStore(folder: string): SessionStore {
  const path = join(folder, 'sessions.json')

  async function readAll(): Promise<Record<string, unknown>> {
    try {
      const parsed: unknown = JSON.parse(await readFile(path, 'utf8'))
      return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
    } catch (error) {
      // A file that cannot be understood holds no session; the next login writes it anew.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }

  async function replace(sessions: Record<string, unknown>): Promise<void> {
    if (Object.keys(sessions).length === 0) return await rm(path, { force: true })
    await makeConfigFolder(dirname(path))
    await chmod(dirname(path), 0o700)
    const draft = `${path}.${randomBytes(6).toString('hex')}`
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(`${JSON.stringify(sessions, null, 2)}\n`)
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

  return {
    place: path,
    async read(service) {
      const found = (await readAll())[service]
      return isSession(found) ? found : undefined
    },
    async write(service: string, session: Session) {
      await replace({ ...(await readAll()), [service]: session })
    },
    async remove(service) {
      const { [service]: gone, ...others } = await readAll()
      if (gone !== undefined) await replace(others)
    },
  }
}
