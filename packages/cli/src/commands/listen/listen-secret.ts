import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { configFolder } from '../../session/config-folder.ts'
import { withLock } from '../../session/lock.ts'
import { readOwn, replaceOwn } from '../../session/own-file.ts'
import { storeUnusable } from '../../session/store-errors.ts'
import { secretOf } from './webhook-headers.ts'

/** The secret that signs forwarded events. It depends only on the sandbox and on a key that is kept on this machine. */
export async function listenSecret(context: Context, apiUrl: string): Promise<string> {
  const folder = configFolder(context)
  const path = join(folder, 'listen-key')
  const key = await withLock(folder, async () => {
    const stored = (await readOwn(path))?.trim()
    if (stored !== undefined && /^[0-9a-f]{64}$/.test(stored)) return stored
    const created = randomBytes(32).toString('hex')
    await replaceOwn(path, `${created}\n`)
    return created
  }).catch((error) => {
    throw storeUnusable(path, error)
  })
  return secretOf(createHmac('sha256', Buffer.from(key, 'hex')).update(apiUrl).digest())
}
