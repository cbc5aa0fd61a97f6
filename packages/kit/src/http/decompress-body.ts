import type { IncomingHttpHeaders } from 'node:http'
import { constants, type Gunzip, gunzip, type ZstdDecompress, zstdDecompress } from 'node:zlib'
import { problems } from '@storey/contract'
import type { BodyCoding, BodyRule } from './body-rule.ts'

/**
 * Telemetry rarely compresses better than this. Memory is reserved for this many times the compressed size. If the body
 * turns out to be larger, the request waits for more memory.
 */
const EXPECTED_RATIO = 30

/** The sizes of the pieces in which a thread of the pool decompresses: larger ones for larger bodies. */
const PIECE_BYTES = { min: 16 * 1024, max: 256 * 1024 }

/**
 * 8 MB, the largest window of zstd over HTTP (RFC 9659). The sender chooses the window, and the decoder allocates it.
 */
const MAX_ZSTD_WINDOW_LOG = 23

type Inflater = (raw: Buffer, options: object, callback: (err: Error | null, result: unknown) => void) => void

const inflaters: Record<BodyCoding, Inflater> = { gzip: gunzip, zstd: zstdDecompress }

/** The coding of a body, in lower case; undefined if there is none. */
export function readCoding(headers: IncomingHttpHeaders): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return undefined
  // `x-gzip` is the old name of gzip (RFC 9110, 8.4.1.3).
  return coding === 'x-gzip' ? 'gzip' : coding
}

/** The size that a body probably has after decompression, at most the limit of its route. */
export function expectedBytes(headers: IncomingHttpHeaders, { maxBytes }: BodyRule): number {
  // A body of unknown length may be as large as the limit.
  if (headers['transfer-encoding'] !== undefined) return maxBytes
  const length = Number(headers['content-length'] ?? 0)
  return Math.min(readCoding(headers) === undefined ? length : length * EXPECTED_RATIO, maxBytes)
}

/**
 * Decompresses a body in the thread pool. Undefined: it has more than `maxBytes`, and the rest was not decompressed.
 */
export async function decompress(raw: Buffer, coding: BodyCoding, maxBytes: number): Promise<Buffer | undefined> {
  const options = {
    maxOutputLength: Math.max(1, maxBytes),
    chunkSize: Math.min(PIECE_BYTES.max, Math.max(PIECE_BYTES.min, raw.length * 8)),
    ...(coding === 'zstd' ? { params: { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG } } : {}),
  }
  try {
    return await inflate(raw, coding, options)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw problems.header('content-encoding', `Content-Encoding is ${coding}, but the body is not valid ${coding}`)
  }
}

/** What the callback gets with the option `info`, which @types/node does not know: the bytes and the decoder. */
interface Inflated {
  buffer: Buffer
  engine: Gunzip | ZstdDecompress
}

/**
 * Decompresses all bytes, or rejects. If the bytes after a frame are not the beginning of another frame, the decoder of
 * zstd stops there without an error, so the number of bytes that it has read is checked.
 */
function inflate(raw: Buffer, coding: BodyCoding, options: object): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    inflaters[coding](raw, { ...options, info: true }, (err, result) => {
      if (err !== null) return reject(err)
      const { buffer, engine } = result as Inflated
      if (coding === 'zstd' && engine.bytesWritten < raw.length) return reject(new Error('bytes after the last frame'))
      resolve(buffer)
    })
  })
}
