import type { Log } from '@storey/kit/log'

const CHECK_EVERY_MS = 3_000
const BYTES_PER_MB = 1024 * 1024

/** EX_TEMPFAIL of sysexits.h: nothing is wrong with the command, try it again. */
export const OUT_OF_MEMORY_EXIT_CODE = 75

/** Calls back once when the process has grown past its limit. It does not keep the process alive. */
export function watchMemory(limitMb: number, log: Log, onExceeded: () => void): void {
  const timer = setInterval(() => {
    const rssMb = Math.round(process.memoryUsage.rss() / BYTES_PER_MB)
    if (rssMb <= limitMb) return
    clearInterval(timer)
    log.error({ rssMb, limitMb }, 'memory limit exceeded, ending this process')
    onExceeded()
  }, CHECK_EVERY_MS)
  timer.unref()
}
