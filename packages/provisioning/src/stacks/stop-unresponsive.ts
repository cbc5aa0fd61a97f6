import type { Log } from '@storey/kit/log'
import type { StackAddress } from './replicas.ts'
import type { RunningStack } from './stack-runtime.ts'

export interface StopUnresponsiveOptions {
  stop(sandboxId: string): Promise<void>
  log: Log
}

/**
 * Stops stacks that do not respond. Many requests can wait for the same stack: the first request that reports the stack
 * stops it, the others are counted, and one line is logged. A later report about the same process does not stop the
 * process that replaced it. If the stack has other replicas, only the replica that does not respond is ended.
 */
export function createStopUnresponsive({ stop, log }: StopUnresponsiveOptions) {
  const incidents = new WeakMap<StackAddress, { requests: number }>()

  return (sandboxId: string, stack: RunningStack, replica?: StackAddress): void => {
    const { replicas } = stack
    if (replicas && replica && !replicas.all().includes(replica)) return
    const isOneOfSeveral = replicas !== undefined && replica !== undefined && replicas.all().length > 1
    const stopped = isOneOfSeveral ? replica : stack
    const known = incidents.get(stopped)
    if (known) return void known.requests++
    const incident = { requests: 1 }
    incidents.set(stopped, incident)
    const ended = isOneOfSeveral ? replicas.end(replica) : stop(sandboxId)
    const what = isOneOfSeveral ? 'replica' : 'stack'
    ended.then(
      () => log.error({ sandboxId, ...incident }, `${what} not responding, stopped it`),
      (err) => {
        // The next report tries again.
        incidents.delete(stopped)
        log.error({ err, sandboxId, ...incident }, `could not stop unresponsive ${what}`)
      },
    )
  }
}
