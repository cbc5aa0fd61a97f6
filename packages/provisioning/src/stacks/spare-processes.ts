import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createLoop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import { listenToStack } from './stack-messages.ts'

export interface SpareProcessesOptions {
  /** How many spare processes wait at a time. */
  count: number
  spawn(): ChildProcess
  log: Log
  /** Spare processes start after this pause, so that the service and waiting sandboxes start first. */
  pauseMs?: number
  retry?: { firstMs: number; maxMs: number }
}

const PAUSE_MS = 500
/** A process that cannot be started usually means that the system is short of memory, which may last. */
const RETRY = { firstMs: 1_000, maxMs: 30_000 }
/** How long a spare process may take to confirm that it has its configuration. */
const TAKE_LIMIT_MS = 3_000

/** Processes that have loaded the stack's code and wait for a sandbox. They do not keep this process alive. */
export function createSpareProcesses(options: SpareProcessesOptions) {
  const { count, spawn, log, pauseMs = PAUSE_MS, retry = RETRY } = options
  const waiting = new Set<ChildProcess>()
  const loop = createLoop({ name: 'spare-processes', log, run: start, retry })

  /** Fails if the system cannot start a process. A sandbox can also wake without a spare process. */
  async function start(signal: AbortSignal): Promise<void> {
    while (waiting.size < count && !signal.aborted) {
      const child = spawn()
      waiting.add(child)
      child.unref()
      child.channel?.unref()
      const drop = () => {
        if (waiting.delete(child)) log.debug({ pid: child.pid }, 'spare process exited')
      }
      child.once('exit', drop)
      child.once('error', drop)
      // Node throws when the system has no memory for another process. It reports other failures later, by an event.
      await once(child, 'spawn')
    }
  }

  function fill(): void {
    if (count > 0) loop.wakeIn(pauseMs)
  }

  return {
    fill,
    /** The process that has waited longest, if there is one. */
    take(): ChildProcess | undefined {
      fill()
      const [child] = waiting
      if (child === undefined) return undefined
      waiting.delete(child)
      child.ref()
      child.channel?.ref()
      return child
    },
    /** Starts no further spare process. */
    close: (): Promise<void> => loop.stop(),
  }
}

/** Whether the process confirms in time that it has its configuration. Otherwise the process is killed. */
export function takesWork(child: ChildProcess, log: Log, limitMs = TAKE_LIMIT_MS): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isTaken: boolean) => {
      clearTimeout(timer)
      stopListening()
      child.off('exit', fail).off('error', fail)
      if (!isTaken) child.kill('SIGKILL')
      resolve(isTaken)
    }
    const fail = () => finish(false)
    const timer = setTimeout(fail, limitMs)
    const stopListening = listenToStack(child, log, ({ type }) => type === 'taken' && finish(true))
    child.once('exit', fail).once('error', fail)
  })
}
