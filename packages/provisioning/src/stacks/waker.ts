import { Problem } from '@storey/contract'
import { createLoop, type Loop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { untilAborted } from '@storey/kit/within'
import { type DueRow, listDue, listRunning } from './due-work.store.ts'
import type { OwnedSandbox } from './stack-capacity.ts'

export interface WakerOptions {
  control: Database
  clock: Clock
  log: Log
  stacks: { isActive(sandboxId: string): boolean; wake(sandbox: OwnedSandbox): Promise<void> }
  isLeader?(): boolean
  everyMs?: number
  /** How many stacks are woken at a time. */
  atATime?: number
  pageSize?: number
}

/** The last attempt for a piece of work. The pause doubles while the same work stays due. */
interface Tried {
  dueAt: number | undefined
  pauseMs: number
  notBefore: number
}

const EVERY_MS = 60_000
/** A stack is woken this long before its work is due, because it has to start first. */
const LEAD_MS = 5_000
const AT_A_TIME = 4
/** How many sandboxes are read at a time. */
const PAGE = 1_000
const MAX_PAUSE_MS = 3_600_000

/**
 * Wakes stopped stacks whose work is due soon or at an unknown time. The time is stored in the control database, so it
 * is known after a restart. A running stack does its work by itself.
 */
export function createWaker(options: WakerOptions): Loop {
  const { control, clock, log, stacks, isLeader, everyMs = EVERY_MS } = options
  const { atATime = AT_A_TIME, pageSize = PAGE } = options
  const tried = new Map<string, Tried>()
  const loop = createLoop({ name: 'stack-wakeups', log, run, everyMs, isExpected: isUnavailable })

  async function run(signal: AbortSignal): Promise<number> {
    if (isLeader?.() === false) return everyMs
    const listed = new Set<string>()
    let nextMs = everyMs
    for await (const rows of pages(new Date(clock.now().getTime() + everyMs + LEAD_MS))) {
      if (signal.aborted) return everyMs
      for (const { id } of rows) listed.add(id)
      const now = clock.now().getTime()
      const sleeping = rows.filter(({ id }) => !stacks.isActive(id))
      const waking = wakeAll(
        sleeping.filter((row) => startOf(row) <= now),
        signal,
      )
      // A waker that stops does not wait for stacks that are still starting: the stack pool waits for them.
      await untilAborted(waking, signal)
      const later = sleeping.map(startOf).filter((start) => start > now)
      nextMs = Math.min(nextMs, ...later.map((start) => start - clock.now().getTime()))
    }
    for (const id of tried.keys()) if (!listed.has(id)) tried.delete(id)
    return Math.max(0, nextMs)
  }

  /**
   * All sandboxes whose work is due by `until` or at an unknown time, in pages. One page is not enough: it could be
   * full of sandboxes that cannot be woken now, such as those of a database server that does not answer.
   */
  async function* pages(until: Date): AsyncGenerator<DueRow[]> {
    yield await listRunning(control)
    let rows: DueRow[] = []
    do {
      rows = await listDue(control, until, pageSize, rows.at(-1))
      yield rows
    } while (rows.length === pageSize)
  }

  function startOf(row: DueRow): number {
    const notBefore = triedFor(row)?.notBefore ?? Number.NEGATIVE_INFINITY
    return Math.max(row.dueAt === null ? notBefore : row.dueAt.getTime() - LEAD_MS, notBefore)
  }

  /** Work with another due time counts as not tried. */
  function triedFor({ id, dueAt }: DueRow): Tried | undefined {
    const before = tried.get(id)
    return before?.dueAt === dueAt?.getTime() ? before : undefined
  }

  async function wakeAll(rows: DueRow[], signal: AbortSignal): Promise<void> {
    const queue = rows.values()
    const wakeNext = async () => {
      for (const row of queue) {
        if (signal.aborted) return
        const pauseMs = Math.min((triedFor(row)?.pauseMs ?? everyMs / 2) * 2, MAX_PAUSE_MS)
        const notBefore = clock.now().getTime() + pauseMs
        const dueAt = row.dueAt?.getTime()
        tried.set(row.id, { dueAt, pauseMs, notBefore })
        log.debug({ sandboxId: row.id, dueAt: row.dueAt }, 'waking stack for due work')
        await stacks.wake(row).catch((err) => {
          log.warn({ err, sandboxId: row.id }, 'could not wake stack for due work')
          // A problem, such as a lack of capacity, is not a failure of the stack, so the pause does not grow.
          if (err instanceof Problem)
            tried.set(row.id, { dueAt, pauseMs: everyMs / 2, notBefore: clock.now().getTime() + everyMs })
        })
      }
    }
    await Promise.all(Array.from({ length: atATime }, wakeNext))
  }

  return loop
}
