import type { Log } from '@storey/kit/log'
import type { RunningStack } from './stack-runtime.ts'

export interface StopUnresponsiveOptions {
  stop(sandboxId: string): Promise<void>
  log: Log
}

/**
 * Stops stacks that do not respond. Many requests may wait for the same stack: the first that reports it stops it, the
 * others are counted, and one line is logged. A report that comes too late does not stop the next process.
 */
export function createStopUnresponsive({ stop, log }: StopUnresponsiveOptions) {
  const incidents = new WeakMap<RunningStack, { requests: number }>()

  return (sandboxId: string, stack: RunningStack): void => {
    const known = incidents.get(stack)
    if (known) return void known.requests++
    const incident = { requests: 1 }
    incidents.set(stack, incident)
    stop(sandboxId).then(
      () => log.error({ sandboxId, ...incident }, 'stack not responding, stopped it'),
      (err) => log.error({ err, sandboxId, ...incident }, 'could not stop unresponsive stack'),
    )
  }
}
