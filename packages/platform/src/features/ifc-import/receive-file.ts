import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS, Problem } from '@storey/contract'

/** The path of the uploaded file of an import. */
export function fileOf(folder: string, importId: string): string {
  return join(folder, `${importId}.ifc`)
}

/**
 * Writes a body to disk as it arrives, first to a `.part` file, and resolves to the size of the body. Then the file has
 * its final name, and its content is synced, so that a crash of the machine does not lose the content.
 */
export async function receiveFile(body: Readable, folder: string, importId: string): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const partial = join(folder, `${importId}.part`)
  let size = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > LIMITS.ifcBytes) done(tooLarge())
      else done(null, chunk)
    },
  })
  try {
    await pipeline(body, counted, createWriteStream(partial, { mode: 0o600 }))
    await sync(partial, 'r+')
    await rename(partial, fileOf(folder, importId))
    // Some systems cannot sync a folder.
    await sync(folder, 'r').catch(() => undefined)
    return size
  } catch (err) {
    await rm(partial, { force: true })
    throw err
  }
}

export const tooLarge = () =>
  new Problem('BODY_TOO_LARGE', `The file is larger than ${LIMITS.ifcBytes / 1024 / 1024} MB`)

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
