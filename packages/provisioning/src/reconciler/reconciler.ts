import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@storey/kit/clock'
import { findAny, listWork, startExpired } from '../features/sandboxes/sandboxes.store.ts'
import { type ProvisionDeps, provision } from './provision.ts'
import { remove } from './remove.ts'
import { sweep } from './sweep.ts'
import { underWorkLock } from './work-lock.store.ts'

export interface ReconcilerOptions extends ProvisionDeps {
  clock: Clock
  /** Called when a sandbox changed state by our doing. */
  onChange(slug: string): void
  /** How many sandboxes are made at a time. */
  concurrency: number
  tickMs?: number
  sweepEveryMs?: number
}

/** Each piece of work holds a connection, and needs others: all of them together must stay below the pool's size. */
const MOST_REMOVALS = 4

interface Work {
  abort: AbortController
  done: Promise<void>
  removing: boolean
}

/**
 * Brings what is there in line with what the rows say, again and again: a new row gets its database, an expired or
 * deleted one loses it. The work of a sandbox is done under a lock that its connection holds, so a process that dies
 * lets go of it at once, and another (or the same, started again) takes the work up.
 */
export function createReconciler(options: ReconcilerOptions) {
  const { control, log, clock, onChange } = options
  const working = new Map<string, Work>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookAgain = false
  let closed = false
  let nextSweepAt = 0

  /** One look at a time; a poke during a look asks for one more. */
  function poke(): void {
    lookAgain = true
    if (looking || closed) return
    looking = (async () => {
      while (lookAgain && !closed) {
        lookAgain = false
        await look().catch((err) => log.error({ err }, 'could not look for work'))
      }
    })().finally(() => {
      looking = undefined
    })
  }

  async function look(): Promise<void> {
    for (const row of await startExpired(control, clock.now())) onChange(row.slug)
    for (const { id, removing } of await listWork(control)) {
      if (closed) return
      const busy = working.get(id)
      if (busy && removing) busy.abort.abort(new Error('the sandbox is being removed'))
      else if (!busy && hasRoom(removing)) take(id, removing)
    }
    if (Date.now() >= nextSweepAt && !closed) {
      nextSweepAt = Date.now() + (options.sweepEveryMs ?? 600_000)
      await sweep(options)
    }
  }

  function hasRoom(removing: boolean): boolean {
    const alike = [...working.values()].filter((work) => work.removing === removing)
    return alike.length < (removing ? MOST_REMOVALS : options.concurrency)
  }

  /** Work that was done, or given up for a removal, may be followed by more; work that failed waits for the next tick. */
  function take(id: string, removing: boolean): void {
    const abort = new AbortController()
    const done = control
      .session((session) => underWorkLock(session, id, () => work(id, abort.signal)))
      .catch((err) => {
        log.error({ err, sandboxId: id }, 'work on a sandbox was cut off, and is tried again')
        return false
      })
      .then((worked) => {
        working.delete(id)
        if (worked) poke()
      })
    working.set(id, { abort, done, removing })
  }

  async function work(id: string, signal: AbortSignal): Promise<void> {
    const row = await findAny(control, id)
    if (!row) return
    if (row.removingAt) await remove(options, row)
    else if (row.status === 'provisioning') await provision(options, row, signal)
    onChange(row.slug)
  }

  return {
    start(): void {
      timer = setInterval(poke, options.tickMs ?? 5_000)
      poke()
    },
    poke,
    async untilRemoved(id: string, limitMs: number): Promise<boolean> {
      const deadline = Date.now() + limitMs
      working.get(id)?.abort.abort(new Error('the sandbox is being removed'))
      while (Date.now() < deadline) {
        poke()
        await (working.get(id)?.done ?? sleep(20))
        if ((await findAny(control, id)) === undefined) return true
      }
      return false
    },
    sweep: () => sweep(options),
    async close(): Promise<void> {
      closed = true
      clearInterval(timer)
      for (const { abort } of working.values()) abort.abort(new Error('the service is shutting down'))
      await Promise.all([looking, ...[...working.values()].map(({ done }) => done)])
    },
  }
}

export type Reconciler = ReturnType<typeof createReconciler>
