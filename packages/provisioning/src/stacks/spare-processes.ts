import type { ChildProcess } from 'node:child_process'
import type { Log } from '@storey/kit/log'
import { listenToStack } from './stack-messages.ts'

export interface SpareProcessesOptions {
  /** How many spare processes wait at a time. */
  count: number
  spawn(): ChildProcess
  log: Log
  /** Spare processes start after this pause, so that the service and waiting sandboxes start first. */
  pauseMs?: number
}

const PAUSE_MS = 500
/** How long a spare process may take to confirm that it has its configuration. */
const TAKE_LIMIT_MS = 3_000

/** Processes that have loaded the stack's code and wait for a sandbox. They do not keep this process alive. */
export function createSpareProcesses({ count, spawn, log, pauseMs = PAUSE_MS }: SpareProcessesOptions) {
  const waiting = new Set<ChildProcess>()
  let isFilling = false

  function start(): void {
    isFilling = false
    while (waiting.size < count) {
      const child = trySpawn()
      if (child === undefined) return
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

  /** Node throws when the system has no memory for another process. A sandbox can also wake without a spare process. */
  function trySpawn(): ChildProcess | undefined {
    try {
      return spawn()
    } catch (err) {
      log.debug({ err }, 'could not start a spare process')
      return undefined
    }
  }

  function fill(): void {
    if (isFilling) return
    isFilling = true
    setTimeout(start, pauseMs).unref()
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
