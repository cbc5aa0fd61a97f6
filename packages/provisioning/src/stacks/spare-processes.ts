import type { ChildProcess } from 'node:child_process'
import type { Log } from '@storey/kit/log'

export interface SpareProcessesOptions {
  /** How many wait at a time. */
  count: number
  spawn(): ChildProcess
  log: Log
  /** They start after a pause: what needs one, or the service itself, starts first. */
  pauseMs?: number
}

const PAUSE_MS = 500

/** Processes that have loaded the stack's code and wait for a sandbox. They do not keep this process alive. */
export function createSpareProcesses({ count, spawn, log, pauseMs = PAUSE_MS }: SpareProcessesOptions) {
  const waiting = new Set<ChildProcess>()
  let isFilling = false

  function start(): void {
    isFilling = false
    while (waiting.size < count) {
      const child = spawn()
      waiting.add(child)
      child.unref()
      child.channel?.unref()
      const drop = () => {
        if (waiting.delete(child)) log.debug({ pid: child.pid }, 'spare process exited')
      }
      child.once('exit', drop)
      child.once('error', drop)
    }
  }

  function fill(): void {
    if (isFilling) return
    isFilling = true
    setTimeout(start, pauseMs).unref()
  }

  return {
    fill,
    /** The one that waits longest, if any. */
    take(): ChildProcess | undefined {
      fill()
      const [child] = waiting
      if (child === undefined) return undefined
      waiting.delete(child)
      child.ref()
      child.channel?.ref()
      return child
    },
  }
}
