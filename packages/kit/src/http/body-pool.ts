import { freeBuffer } from '../free-buffer.ts'

/** Only buffers from 16 KB to 1 MB are reused. Reuse of smaller buffers saves too little, and larger ones are rare. */
const MIN_BYTES = 16 * 1024
const MAX_BYTES = 1024 * 1024
/** The maximum number of free buffers of each size. */
const MAX_FREE = 8

/** Free buffers by their size, which is a power of two. */
const free = new Map<number, ArrayBuffer[]>()

/**
 * Returns a buffer for a body of known length, from the pool if possible. The garbage collector would have to free a
 * new buffer, and the more memory outside of the heap it has to free, the more often it runs.
 */
export function takeBuffer(length: number): Buffer {
  if (length < MIN_BYTES || length > MAX_BYTES) return Buffer.allocUnsafeSlow(length)
  const size = 2 ** Math.ceil(Math.log2(length))
  return Buffer.from(free.get(size)?.pop() ?? new ArrayBuffer(size), 0, length)
}

/** Puts a buffer that nothing uses any more back into the pool. Without this call the garbage collector frees it. */
export function releaseBuffer(released: Buffer): void {
  if (isReusable(released)) keep(released.buffer as ArrayBuffer)
}

/**
 * Puts a buffer of `takeBuffer` back into the pool, or frees its memory immediately if the pool does not keep buffers
 * of that size, or has enough of them.
 */
export function discardBuffer(discarded: Buffer): void {
  const { buffer } = discarded
  if (!isReusable(discarded) || !keep(buffer as ArrayBuffer)) freeBuffer(new Uint8Array(buffer))
}

function isReusable({ buffer, byteOffset, length }: Buffer): boolean {
  const size = buffer.byteLength
  const isPooled = byteOffset === 0 && length >= MIN_BYTES && length <= MAX_BYTES && Math.log2(size) % 1 === 0
  return isPooled && length * 2 > size
}

/** Keeps a buffer in the pool. Returns false, and does not keep it, if the pool has enough buffers of this size. */
function keep(buffer: ArrayBuffer): boolean {
  const same = free.get(buffer.byteLength) ?? []
  free.set(buffer.byteLength, same)
  if (same.includes(buffer)) return true
  if (same.length >= MAX_FREE) return false
  same.push(buffer)
  return true
}
