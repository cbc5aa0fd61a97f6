import zlib from 'node:zlib'

/** Rejects if this version of Node has no zstd. */
export function zstd(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    if (!('zstdCompress' in zlib))
      return reject(new TypeError(`Node ${process.versions.node} has no zstd: compress with gzip, or use Node 22.15`))
    zlib.zstdCompress(text, (err, bytes) => (err ? reject(err) : resolve(bytes as Uint8Array<ArrayBuffer>)))
  })
}
