import { problems } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import { elapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import type { Entry } from './stack-entry.ts'

export interface StopStacksOptions {
  entries: Map<string, Entry>
  stop(sandboxId: string): Promise<void>
  keepDue(sandboxId: string, dueAt: Date | null): Promise<void>
  /** Called when a stop begins. */
  onStopping(sandboxId: string): void
  /** Called when a stack was stopped. */
  onStopped(): void
  /** The pause before a failed stop is repeated. It doubles with each further failure, up to `maxMs`. */
  retry?: { firstMs: number; maxMs: number } | undefined
  log: Log
}

const RETRY = { firstMs: 1_000, maxMs: 30_000 }
const KEEP_LIMIT_MS = 2_000
const RETRY_S = 3

/**
 * Stops stacks of the pool. A stop can fail, for example because the cluster that runs the stack does not answer. The
 * stack may then still run, so its database connections stay reserved, and the stop is repeated until it succeeds.
 */
export function createStopStacks(options: StopStacksOptions) {
  const { entries, log, retry = RETRY } = options
  const repeats = createLoop({ name: 'stack-stops', log, run: repeatFailed, retry })

  /** Rejects if the stop fails. A stop of a stack that has an entry is then repeated later. */
  async function stop(sandboxId: string): Promise<void> {
    const entry = entries.get(sandboxId)
    if (!entry) return await options.stop(sandboxId)
    entry.stopping ??= end(entry)
      .catch((err) => {
        repeats.wakeIn(retry.firstMs)
        throw err
      })
      .finally(() => {
        entry.stopping = undefined
      })
    await entry.stopping
  }

  async function repeatFailed(): Promise<void> {
    const unfinished = [...entries].filter(([, { state }]) => state === 'stopping')
    const results = await Promise.allSettled(unfinished.map(([sandboxId]) => stop(sandboxId)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function end(entry: Entry): Promise<void> {
    const { id: sandboxId } = entry.sandbox
    if (entry.state !== 'stopping') begin(entry)
    await options.stop(sandboxId)
    if (entry.wasStarting) {
      // At the first `stop` the process may not have existed yet.
      await entry.running.catch(() => undefined)
      await options.stop(sandboxId)
    }
    if (entry.dueAt !== undefined) {
      await within(KEEP_LIMIT_MS, options.keepDue(sandboxId, entry.dueAt)).catch((err) =>
        log.warn({ err, sandboxId }, 'could not save due work of stack'),
      )
    }
    if (entries.get(sandboxId) === entry) entries.delete(sandboxId)
    options.onStopped()
  }

  function begin(entry: Entry): void {
    entry.wasStarting = entry.state === 'starting'
    entry.state = 'stopping'
    entry.stoppingSince = elapsedMs()
    options.onStopping(entry.sandbox.id)
    entry.cancel.abort(problems.notReady('The sandbox is being stopped', RETRY_S))
    // Only the due work that the stack reports while it stops counts: an earlier report may be out of date.
    entry.dueAt = undefined
  }

  return {
    stop,
    /** Stops all stacks. A stop that fails from now on is not repeated. */
    async close(): Promise<void> {
      // Not awaited: the next statement awaits the stops of all stacks in `entries`. A repeated stop of any other stack,
      // which belongs to another control plane now, must not delay this.
      void repeats.stop()
      await Promise.all([...entries.keys()].map(stop))
    },
  }
}
