import { noteUsed } from './collect-garbage.ts'

/** A smaller buffer may share its memory with other buffers. */
const MIN_BYTES = 8 * 1024

/**
 * Frees the memory of a buffer that nothing uses any more, such as a piece of a body. The garbage collector would free
 * it later. The more memory outside of the heap waits to be freed, the more often V8 collects the whole heap.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < MIN_BYTES || buffer.byteLength !== byteLength) return
  // Node 20 has no `transfer`.
  if ('transfer' in buffer) buffer.transfer(0)
  else noteUsed(byteLength)
}
