import { collectGarbage, releaseMemoryAndCode } from '@storey/kit/collect-garbage'
import type { Log } from '@storey/kit/log'
import type { Memory } from '../memory.ts'

const CHECK_EVERY_MS = 250
/**
 * The interval while the process is idle: no request reads the memory usage, and it is below IDLE_BELOW of the limit.
 * So an idle process does almost nothing.
 */
const IDLE_CHECK_EVERY_MS = 5_000
/** After this many idle checks in a row (about 15 s), the process returns unused memory to the system, once. */
const RELEASE_AFTER_CHECKS = 4
/** Background work uses memory too, so above this share of the limit the shorter interval is used. */
const IDLE_BELOW = 0.5
const BYTES_PER_MB = 1024 * 1024
/** Memory is short when the process uses at least the first share of its limit, until it uses less than the second. */
const SHORT_FROM = 0.85
const SHORT_UNTIL = 0.75
/**
 * How often garbage is collected while the process uses SHORT_FROM of its limit or more. V8 does not know this limit:
 * it collects when heap and buffers have grown enough since the last collection.
 */
const COLLECT_EVERY_MS = 1_000
/** How long memory must stay above the limit until `onExceeded` is called. A shorter peak is tolerated. */
const EXCEEDED_FOR_MS = 1_000

/** EX_TEMPFAIL of sysexits.h: a temporary failure, which may be retried. */
export const OUT_OF_MEMORY_EXIT_CODE = 75

/**
 * Watches the memory of the process. When memory becomes short, this is logged once, and garbage is collected until the
 * process uses less than SHORT_FROM of its limit. If the process stays above its limit, `onExceeded` is called once.
 * The timer does not keep the process alive.
 */
export function watchMemory(limitMb: number, log: Log, onExceeded: () => void): Memory {
  const limitBytes = limitMb * BYTES_PER_MB
  const listeners: (() => void)[] = []
  let rssBytes = process.memoryUsage.rss()
  let isShort = false
  let collectedAt = 0
  let exceededAt: number | undefined
  let isRead = false
  let isIdle = false
  let idleChecks = 0
  let timer = schedule(CHECK_EVERY_MS)

  function schedule(ms: number): NodeJS.Timeout {
    return setTimeout(check, ms).unref()
  }

  function check(): void {
    rssBytes = process.memoryUsage.rss()
    const now = performance.now()
    if (rssBytes >= SHORT_FROM * limitBytes && now - collectedAt >= COLLECT_EVERY_MS) {
      collectGarbage()
      collectedAt = performance.now()
      rssBytes = process.memoryUsage.rss()
    }
    const fields = { rssMb: Math.round(rssBytes / BYTES_PER_MB), limitMb }
    if (!isShort && rssBytes >= SHORT_FROM * limitBytes) {
      isShort = true
      log.warn(fields, 'memory is short, requests wait')
    } else if (isShort && rssBytes < SHORT_UNTIL * limitBytes) {
      isShort = false
      log.info(fields, 'memory is no longer short')
    }
    for (const listener of listeners) listener()
    exceededAt = rssBytes > limitBytes ? (exceededAt ?? now) : undefined
    const isOver = exceededAt !== undefined && now - exceededAt >= EXCEEDED_FOR_MS
    if (!isOver) return void checkAgain()
    log.error(fields, 'memory limit exceeded, ending this process')
    onExceeded()
  }

  function checkAgain(): void {
    isIdle = !isRead && rssBytes < IDLE_BELOW * limitBytes
    isRead = false
    idleChecks = isIdle ? idleChecks + 1 : 0
    if (idleChecks === RELEASE_AFTER_CHECKS) releaseMemoryAndCode()
    timer = schedule(isIdle ? IDLE_CHECK_EVERY_MS : CHECK_EVERY_MS)
  }

  function read(): number {
    isRead = true
    if (!isIdle) return rssBytes
    isIdle = false
    rssBytes = process.memoryUsage.rss()
    clearTimeout(timer)
    timer = schedule(CHECK_EVERY_MS)
    return rssBytes
  }

  const measureBytes = () => process.memoryUsage.rss()
  return { limitBytes, rssBytes: read, measureBytes, onSample: (listener) => void listeners.push(listener) }
}
