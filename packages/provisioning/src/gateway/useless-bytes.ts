import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ChunkedBody } from './limit-chunks.ts'

/**
 * The maximum number of bytes after a request and before the next one, where only empty lines are valid. In a chunked
 * body, the bytes around the chunks (sizes, extensions, trailers) may exceed the bytes in the chunks by this number.
 * The last bytes of a body without chunks count too: those that were read after the last check within the body.
 */
const MAX_USELESS_BYTES = 128 * 1024

/** Counts the bytes on a connection that belong neither to a head nor to the content of a body. */
export class UselessBytes {
  readonly #socket: Socket
  /** The request that came last, and its body if that is chunked and incomplete. */
  #request: IncomingMessage | undefined
  #chunked: ChunkedBody | undefined
  /**
   * How many bytes had been read when the count began. The count begins with the connection. It begins again with each
   * request, at each check within a body without chunks, and at the first check after a chunked body.
   */
  #readAtStart: number

  constructor(socket: Socket) {
    this.#socket = socket
    this.#readAtStart = socket.bytesRead
  }

  begin(request: IncomingMessage, chunked: ChunkedBody | undefined): void {
    this.#request = request
    this.#chunked = chunked
    this.#readAtStart = this.#socket.bytesRead
  }

  /** Where there are too many useless bytes; undefined if there are not. Call this after received bytes are parsed. */
  findExcess(): 'in body' | 'after request' | undefined {
    const { bytesRead } = this.#socket
    const isInBody = this.#request?.complete === false
    // Bytes of a body without chunks are content, and after a chunked body the count starts again.
    if (isInBody !== (this.#chunked !== undefined)) {
      this.#chunked = undefined
      this.#readAtStart = bytesRead
    }
    const useful = 2 * (this.#chunked?.bytes() ?? 0)
    if (bytesRead - this.#readAtStart - useful <= MAX_USELESS_BYTES) return undefined
    return isInBody ? 'in body' : 'after request'
  }
}
