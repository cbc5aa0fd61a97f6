import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeConfigFolder } from './config-folder.ts'
import { readOwn, replaceOwn } from './own-file.ts'
import { isSession, type SessionStore } from './session.ts'
import { isBroken, storeBroken, storeUnusable } from './store-errors.ts'

/** Stores sessions in a file that only its owner can read. Writing is atomic: a crash leaves the old or new file. */
export function fileStore(folder: string): SessionStore {
  const path = join(folder, 'sessions.json')
  const withStoreError = async <T>(work: Promise<T>): Promise<T> =>
    await work.catch((error) => {
      throw storeUnusable(path, error)
    })

  async function readAll(): Promise<Record<string, unknown>> {
    const text = await withStoreError(readOwn(path))
    if (text === undefined) return {}
    try {
      const parsed: unknown = JSON.parse(text)
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
        return parsed as Record<string, unknown>
      }
    } catch (error) {
      throw storeBroken(path, error)
    }
    throw storeBroken(path)
  }

  /** All sessions; undefined if the file is damaged, because it then contains no usable session. */
  const readAllOrNone = () =>
    readAll().catch((error) => {
      if (isBroken(error)) return undefined
      throw error
    })

  return {
    place: path,
    async ready() {
      await makeConfigFolder(folder)
      await readAllOrNone()
      await withStoreError(tryToWrite(path))
    },
    async read(service) {
      const found = (await readAll())[service]
      return isSession(found) ? found : undefined
    },
    async write(service, session) {
      const sessions = { ...(await readAllOrNone()), [service]: session }
      await makeConfigFolder(folder)
      await withStoreError(replaceOwn(path, `${JSON.stringify(sessions, null, 2)}\n`))
    },
    async remove(service) {
      const all = await readAllOrNone()
      const { [service]: gone, ...others } = all ?? {}
      if (all !== undefined && gone === undefined) return
      if (Object.keys(others).length === 0) await withStoreError(rm(path, { force: true }))
      else await withStoreError(replaceOwn(path, `${JSON.stringify(others, null, 2)}\n`))
    },
  }
}

async function tryToWrite(path: string): Promise<void> {
  const trial = `${path}.${randomBytes(6).toString('hex')}`
  await (await open(trial, 'wx', 0o600)).close()
  await rm(trial, { force: true })
}
