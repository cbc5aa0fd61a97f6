import { throughStream } from './through-stream.ts'

/** Rejects if this browser has no zstd. */
export async function zstd(text: string): Promise<Uint8Array<ArrayBuffer>> {
  let stream: CompressionStream
  try {
    stream = new CompressionStream('zstd' as 'gzip')
  } catch (cause) {
    throw new TypeError('This browser has no zstd: compress with gzip', { cause })
  }
  return await throughStream(text, stream)
}
