import { parentPort, workerData } from 'node:worker_threads'

/**
 * Watches the process from a thread of its own, since the main thread is deaf while it computes. A signal is the only
 * way out from here that does not need the main thread.
 */
const { memoryMb, parentPid } = workerData as { memoryMb: number; parentPid: number }

function look(): void {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
  if (process.memoryUsage.rss() > memoryMb * 2 ** 20) process.kill(process.pid, 'SIGUSR2')
}

look()
setInterval(look, 50)
parentPort?.postMessage('watching')
