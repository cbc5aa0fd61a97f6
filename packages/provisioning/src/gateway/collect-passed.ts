import { collectRecent } from '@storey/kit/collect-garbage'

/** A collection after this many bytes takes some 0.5 ms. */
const COLLECT_EVERY_BYTES = 4 * 1024 * 1024

let passedBytes = 0

/**
 * Counts bytes of bodies that passed through the gateway, and frees their buffers now and then. V8 would free them only
 * in a collection of the whole heap, some 50 ms for every 9 MB, because buffers count as old memory.
 */
export function notePassed(bytes: number): void {
  passedBytes += bytes
  if (passedBytes < COLLECT_EVERY_BYTES) return
  passedBytes = 0
  collectRecent()
}
