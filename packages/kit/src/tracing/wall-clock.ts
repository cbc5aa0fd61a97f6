const CHECK_EVERY_MS = 1_000

let offsetMs = 0
let checkedAtMs = Number.NEGATIVE_INFINITY

/**
 * The wall clock minus `performance.now()`. It is computed again after a second, because the system can correct the
 * wall clock while a process runs. Within one second all spans have the same offset, so their order is that of the
 * monotonic clock.
 */
export function clockOffsetMs(): number {
  const now = performance.now()
  if (now - checkedAtMs >= CHECK_EVERY_MS) {
    checkedAtMs = now
    offsetMs = Date.now() - now
  }
  return offsetMs
}
