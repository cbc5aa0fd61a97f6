import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Watches a reader from a process of its own. The reader's only thread is deaf while it computes, and it may start no
 * other: threads are not held to what their process may do.
 */
export interface Watch {
  pid: number
  memoryMb: number
}

/** Asking for it elsewhere takes a process each time. */
const LOOK_EVERY_MS = process.platform === 'linux' ? 50 : 500

process.once('message', ({ pid, memoryMb }: Watch) => {
  const end = (signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal)
    } catch {
      process.exit(0)
    }
  }
  // Whoever started both has gone.
  process.on('disconnect', () => {
    end('SIGKILL')
    process.exit(0)
  })
  setInterval(() => {
    if (memoryOf(pid) > memoryMb * 2 ** 20) end('SIGUSR2')
  }, LOOK_EVERY_MS)
  process.send!('watching')
})

/** 0: it is gone, or the system does not tell. */
function memoryOf(pid: number): number {
  try {
    const kilobytes =
      process.platform === 'linux'
        ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        : execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}
