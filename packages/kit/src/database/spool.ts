import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/** The size of the buffer in memory; further bytes wait on disk. */
const MEMORY_BYTES = 1024 * 1024
const PIECE_BYTES = 64 * 1024

/**
 * A stream whose writer never waits for its reader. The stream buffers 1 MB in memory, and the rest in a file that is
 * unlinked immediately. The system deletes the file when its handle is closed, even after a crash.
 */
export class Spool extends Readable {
  readonly #memory: Buffer[] = []
  #memoryBytes = 0
  #file: FileHandle | undefined
  #written = 0
  #read = 0
  #isWanted = false
  #isFeeding = false
  #isComplete = false

  /** Rejects if the reader was closed before the call. */
  async append(bytes: Buffer): Promise<void> {
    if (this.destroyed) throw new Error('the reader was closed')
    if (this.#file === undefined && this.#memoryBytes + bytes.length <= MEMORY_BYTES) {
      this.#memory.push(bytes)
      this.#memoryBytes += bytes.length
    } else {
      this.#file ??= await openUnnamed()
      // The reader was closed while the file was opened.
      if (this.destroyed) return await this.#file.close()
      // A write may be cut short, for example when the disk is nearly full.
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#written + done)
        done += bytesWritten
      }
      this.#written += bytes.length
    }
    void this.#feed()
  }

  /** Ends the stream. */
  complete(): void {
    this.#isComplete = true
    void this.#feed()
  }

  override _read(): void {
    this.#isWanted = true
    void this.#feed()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#memory.length = 0
    const closed = this.#file?.close() ?? Promise.resolve()
    closed.then(
      () => done(error),
      () => done(error),
    )
  }

  async #feed(): Promise<void> {
    if (!this.#isWanted || this.#isFeeding || this.destroyed || !this.#hasNext()) return
    this.#isFeeding = true
    try {
      const piece = await this.#next()
      this.#isWanted = false
      this.push(piece)
    } catch (err) {
      this.destroy(err as Error)
    } finally {
      this.#isFeeding = false
    }
    // During `push` the reader may have requested more data.
    if (this.#isWanted) void this.#feed()
  }

  /** Synchronous: if this check were awaited, `append` and `complete` could be called meanwhile without an effect. */
  #hasNext(): boolean {
    return this.#memory.length > 0 || this.#read < this.#written || this.#isComplete
  }

  /** The next piece, or null at the end. Called only if `#hasNext` returns true. */
  async #next(): Promise<Buffer | null> {
    const kept = this.#memory.shift()
    if (kept) {
      this.#memoryBytes -= kept.length
      return kept
    }
    const length = Math.min(PIECE_BYTES, this.#written - this.#read)
    if (length > 0) {
      const { bytesRead, buffer } = await this.#file!.read(Buffer.allocUnsafe(length), 0, length, this.#read)
      this.#read += bytesRead
      return buffer.subarray(0, bytesRead)
    }
    return null
  }
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `storey-response-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path).catch(() => undefined)
  return file
}
