import { createLoop, type Loop } from '@storey/kit/background'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { untilAborted } from '@storey/kit/within'
import { listClosed } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'

export interface StopClosedOptions {
  control: Database
  runtime: Pick<StackRuntime, 'listRunning'>
  isLeader(): boolean
  stopStack(sandboxId: string): Promise<void>
  log: Log
  everyMs?: number
}

const EVERY_MS = 60_000
const RETRY = { firstMs: 1_000, maxMs: EVERY_MS }
/** How many stacks are stopped at a time. */
const AT_A_TIME = 20

/**
 * Stops the stacks of expired and suspended sandboxes that run although they should have been stopped: a stop has
 * failed, or the leader ended after it had changed the row and before it stopped the stack. The runtime is asked once
 * for all running stacks, so sleeping sandboxes cost nothing.
 */
export function createStopClosed(options: StopClosedOptions): Loop {
  const { control, runtime, isLeader, stopStack, log, everyMs = EVERY_MS } = options

  async function run(signal: AbortSignal): Promise<void> {
    if (!isLeader()) return
    const running = await runtime.listRunning()
    const closed = running.length === 0 ? [] : await listClosed(control, running)
    // A stop can take long, and this process must not wait for it when it ends.
    await untilAborted(stopAll(closed, signal), signal)
  }

  async function stopAll(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const failures: unknown[] = []
    for (let first = 0; first < ids.length && !signal.aborted; first += AT_A_TIME) {
      const results = await Promise.allSettled(ids.slice(first, first + AT_A_TIME).map(stop))
      for (const result of results) if (result.status === 'rejected') failures.push(result.reason)
    }
    if (failures.length > 0) throw failures[0]
  }

  async function stop(sandboxId: string): Promise<void> {
    log.info({ sandboxId }, 'stack of an expired or suspended sandbox runs, stopping it')
    await stopStack(sandboxId)
  }

  return createLoop({ name: 'closed-stacks', log, run, everyMs, retry: RETRY })
}
