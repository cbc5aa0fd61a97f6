import { encodeChunk, maxBytes, type Samples } from './chunk-codec.ts'

/** The header of COPY's binary format: a signature, flags, and the length of the header extension, which is 0. */
const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const END = Buffer.from([0xff, 0xff])

/** Day 0 of PostgreSQL's dates, in days since the epoch. */
const POSTGRES_EPOCH_DAY = Date.UTC(2000, 0, 1) / 86_400_000
const FIELDS = 5
const FIXED_BYTES = 2 + (4 + 4) + (4 + 4) + (4 + 4) + 4 + 4
/** The length that means null in COPY's format. */
const NULL = -1
const BLOCK_BYTES = 256 * 1024

export interface Chunk extends Samples {
  point: number
  /** Days since the epoch. */
  day: number
  /** The sources of the observations, as runs: `[count, source]` for consecutive observations with the same source. */
  sources?: readonly unknown[] | null
}

/** The columns in the order in which they are written. */
export const CHUNK_COLUMNS = ['point', 'day', 'count', 'data', 'sources'] as const

/**
 * Encodes chunks as blocks of COPY's binary format. A chunk is packed straight into its block, so its arrays may be
 * views of buffers that the next chunk overwrites.
 */
export function* chunkBlocks(chunks: Iterable<Chunk>): Generator<Buffer> {
  yield HEADER
  let block = Buffer.allocUnsafe(BLOCK_BYTES)
  let end = 0
  for (const chunk of chunks) {
    const sources = chunk.sources ? Buffer.from(JSON.stringify(chunk.sources)) : null
    const max = FIXED_BYTES + maxBytes(chunk.values.length) + (sources?.length ?? 0)
    if (end + max > block.length) {
      if (end > 0) yield block.subarray(0, end)
      block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, max))
      end = 0
    }
    end = writeRow(block, end, chunk, sources)
  }
  if (end > 0) yield block.subarray(0, end)
  yield END
}

function writeRow(block: Buffer, at: number, chunk: Chunk, sources: Buffer | null): number {
  let end = block.writeInt16BE(FIELDS, at)
  end = writeInteger(block, end, chunk.point)
  end = writeInteger(block, end, chunk.day - POSTGRES_EPOCH_DAY)
  end = writeInteger(block, end, chunk.values.length)
  const dataAt = end + 4
  end = encodeChunk(chunk, block, dataAt)
  block.writeInt32BE(end - dataAt, dataAt - 4)
  if (sources === null) return block.writeInt32BE(NULL, end)
  end = block.writeInt32BE(sources.length, end)
  return end + sources.copy(block, end)
}

function writeInteger(block: Buffer, at: number, value: number): number {
  return block.writeInt32BE(value, block.writeInt32BE(4, at))
}
