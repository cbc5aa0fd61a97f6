import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Database, type Queryable, sql, type Tx } from '@storey/kit/database'

/**
 * The size of the pieces in which a file is stored: a large file needs few statements, and each statement takes little
 * memory.
 */
const PIECE_BYTES = 1024 * 1024

/** Writes the file into the database, in the transaction that adds its import. */
export async function storeFile(tx: Tx, importId: string, path: string): Promise<void> {
  let position = 0
  for await (const bytes of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    await tx.run(
      sql`insert into import_files (import_id, position, bytes) values (${importId}, ${position++}, ${bytes})`,
    )
  }
}

/**
 * Writes the file of an import from the database to the disk, first to a `.part` file. Returns false, and writes
 * nothing, if the database has no such file.
 */
export async function fetchFile(db: Database, importId: string, path: string): Promise<boolean> {
  let piece = await readPiece(db, importId, 0)
  if (!piece) return false
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const partial = `${path}.part`
  try {
    const file = await open(partial, 'w', 0o600)
    try {
      for (let next = 1; piece; next++) {
        await file.appendFile(piece)
        piece = await readPiece(db, importId, next)
      }
    } finally {
      await file.close()
    }
    await rename(partial, path)
    return true
  } catch (err) {
    await rm(partial, { force: true })
    throw err
  }
}

async function readPiece(db: Database, importId: string, position: number): Promise<Buffer | undefined> {
  // The driver reads base64 three times as fast as the hexadecimal form of bytea.
  const piece = await db.row<{ text: string }>(
    sql`select encode(bytes, 'base64') as text from import_files where import_id = ${importId} and position = ${position}`,
  )
  return piece && Buffer.from(piece.text, 'base64')
}

/** Deletes the file of an import from the database. Call this in the transaction that ends the import. */
export async function deleteFile(db: Queryable, importId: string): Promise<void> {
  await db.run(sql`delete from import_files where import_id = ${importId}`)
}
