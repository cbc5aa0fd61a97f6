// The program of the guard, a process that watches the memory of a reader (a process that reads a building model). The
// reader cannot watch itself: its only thread handles no events while it computes, and it is not allowed to start
// another thread, because Node's permissions do not apply to threads.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Which process the guard watches, and how much memory that process may take. */
export interface Watch {
  pid: number
  memoryMb: number
}

/** On systems other than Linux every check starts a process, so the checks are less frequent. */
const CHECK_INTERVAL_MS = process.platform === 'linux' ? 50 : 500

process.once('message', ({ pid, memoryMb }: Watch) => {
  const end = (signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal)
    } catch {
      process.exit(0)
    }
  }
  // The parent process, which started the reader and this guard, has ended.
  process.on('disconnect', () => {
    end('SIGKILL')
    process.exit(0)
  })
  setInterval(() => {
    if (memoryOf(pid) > memoryMb * 2 ** 20) end('SIGUSR2')
  }, CHECK_INTERVAL_MS)
  process.send!('watching')
})

/** The memory of a process in bytes; 0 if it has ended or the system does not report it. */
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
