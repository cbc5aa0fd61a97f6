import { zstd } from '#zstd'
import { throughStream } from './through-stream.ts'

/**
 * How a body is compressed. Every runtime of the SDK has gzip. zstd is faster and usually smaller; Node has it from
 * 22.15, and few browsers have it.
 *
 * @stable
 */
export type Compression = 'gzip' | 'zstd'

export async function compressed(text: string, coding: Compression): Promise<Uint8Array<ArrayBuffer>> {
  if (coding === 'zstd') return await zstd(text)
  // Browsers and Node both have `CompressionStream`.
  return await throughStream(text, new CompressionStream('gzip'))
}
