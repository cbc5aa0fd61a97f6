/** Only buffers of these sizes are reused. For smaller ones it is not worth it, and larger ones are rare. */
const MIN_BYTES = 16 * 1024
const MAX_BYTES = 1024 * 1024
/** The maximum number of free buffers of each size. */
const MAX_FREE = 8

/** Free buffers by their size, which is a power of two. */
const free = new Map<number, ArrayBuffer[]>()

/**
 * A buffer for a body of known length. A new one for each body would be freed by the garbage collector, which runs more
 * often the more memory outside of the heap it has to free.
 */
export function takeBuffer(length: number): Buffer {
  if (length < MIN_BYTES || length > MAX_BYTES) return Buffer.allocUnsafeSlow(length)
  const size = 2 ** Math.ceil(Math.log2(length))
  return Buffer.from(free.get(size)?.pop() ?? new ArrayBuffer(size), 0, length)
}

/** Returns a buffer that nothing uses any more. Without this call the garbage collector frees the buffer. */
export function releaseBuffer({ buffer, byteOffset, length }: Buffer): void {
  const size = buffer.byteLength
  const isPooled = byteOffset === 0 && length >= MIN_BYTES && length <= MAX_BYTES && Math.log2(size) % 1 === 0
  if (!isPooled || length * 2 <= size) return
  const same = free.get(size) ?? []
  free.set(size, same)
  if (same.length < MAX_FREE && !same.includes(buffer as ArrayBuffer)) same.push(buffer as ArrayBuffer)
}
