import type { IncomingMessage } from 'node:http'
import { problems } from '@storey/contract'

/** A body may begin with this many chunks of any size. */
const FREE_CHUNKS = 256
const MIN_MEAN_BYTES = 16

/** The refusal of a body whose chunks are too small. */
export const CHUNKS_TOO_SMALL = problems.validation([
  {
    pointer: '/transfer-encoding',
    in: 'header',
    detail: `chunks must have at least ${MIN_MEAN_BYTES} bytes on average`,
  },
])

/** The refusal of a body with far more bytes around its chunks than in them (`useless-bytes.ts`). */
export const TOO_MUCH_AROUND_CHUNKS = problems.validation([
  {
    pointer: '/transfer-encoding',
    in: 'header',
    detail: 'the sizes and extensions of chunks, and the trailers, must not exceed the body by more than 128 KB',
  },
])

/** The chunks of a body that have arrived so far. */
export interface ChunkedBody {
  /** The number of bytes in these chunks, without sizes, extensions and trailers. */
  bytes(): number
}

/**
 * Drops the rest of a body whose chunks are very small: a chunk takes about 4 microseconds of CPU time, whatever its
 * size, because the parser calls back for each chunk. Node has no public way to count chunks before the body is read,
 * so `request.push` is replaced. Returns undefined for a body without chunks.
 */
export function limitChunks(request: IncomingMessage, onTooSmall: () => void): ChunkedBody | undefined {
  if (request.headers['transfer-encoding'] === undefined) return undefined
  const push = request.push.bind(request)
  let count = 0
  let bytes = 0
  let isDropped = false
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (isDropped) return true
    if (chunk !== null) {
      count++
      bytes += chunk.length
      isDropped = count > FREE_CHUNKS && bytes < count * MIN_MEAN_BYTES
    }
    if (!isDropped) return push(chunk, encoding)
    // `onTooSmall` is called later, because the parser has called this function and is still running.
    setImmediate(onTooSmall)
    return true
  }
  return { bytes: () => bytes }
}
