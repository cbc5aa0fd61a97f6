import { createLoop, type Loop } from '@storey/kit/background'
import { type Database, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { ListedStack, StackPool, StackRuntime } from '../../stacks/index.ts'
import type { Suspended } from '../sandboxes/index.ts'
import { deleteOldRequests, type OpenRequest, setAnswer } from './operator-requests.store.ts'
import { readOperatorWork } from './operator-work.store.ts'

export interface ServeOperatorOptions {
  control: Database
  stacks: Pick<StackPool, 'isActive' | 'list' | 'stop'>
  runtime: Pick<StackRuntime, 'report' | 'pidOf'>
  isLeader(): boolean
  /** Called when a sandbox was suspended or resumed. */
  onChange(slug: string): void
  /** Called with the ids of all sandboxes that are being moved. Undoes a move if its command was killed. */
  undoAbandonedMoves(moving: readonly string[]): Promise<void>
  log: Log
  everyMs?: number
}

/** A running stack as `stack list` shows it. Times are texts, because answers are JSON. */
export type StackAnswer = {
  [Name in keyof ListedStack]: Date extends ListedStack[Name] ? string | null : ListedStack[Name]
} & {
  pid: number | null
  memoryBytes: number | null
}

export interface StopAnswer {
  wasRunning: boolean
}

const EVERY_MS = 1_000

/** Does what operator commands request, stops the stacks of suspended sandboxes, and undoes abandoned moves. */
export function createOperatorLoop(options: ServeOperatorOptions): Loop {
  const { control, stacks, runtime, log, onChange } = options
  let suspended = new Map<string, string>()

  function applySuspensions(found: readonly Suspended[]): void {
    const now = new Map(found.map(({ id, slug }) => [id, slug]))
    for (const [id, slug] of now) if (!suspended.has(id)) onChange(slug)
    for (const [id, slug] of suspended) if (!now.has(id)) onChange(slug)
    suspended = now
    stopStacks()
  }

  /**
   * Not awaited, because a stop can take long, and answers to requests must not wait for it. The pool repeats a stop that
   * fails.
   */
  function stopStacks(): void {
    for (const { sandboxId, state } of stacks.list()) {
      if (state === 'stopping' || !suspended.has(sandboxId)) continue
      log.info({ sandboxId }, 'sandbox suspended, stopping its stack')
      stacks
        .stop(sandboxId)
        .catch((err) => log.warn({ err, sandboxId }, 'could not stop stack of suspended sandbox, trying again'))
    }
  }

  async function listStacks(): Promise<StackAnswer[]> {
    const reports = (await runtime.report()).stacks
    return stacks.list().map(({ lastUsedAt, runsSince, dueAt, ...stack }) => {
      return {
        ...stack,
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
        runsSince: runsSince?.toISOString() ?? null,
        dueAt: dueAt?.toISOString() ?? null,
        pid: runtime.pidOf?.(stack.sandboxId) ?? null,
        memoryBytes: reports[stack.sandboxId]?.requests.rssBytes ?? null,
      }
    })
  }

  async function stopStack(sandboxId: string): Promise<StopAnswer> {
    const wasRunning = stacks.isActive(sandboxId)
    if (wasRunning) log.info({ sandboxId }, 'stopping stack on request of the operator')
    await stacks.stop(sandboxId)
    return { wasRunning }
  }

  /** A failure is an answer too, so that the request is not repeated for ever. */
  async function answer({ id, kind, sandboxId }: OpenRequest): Promise<void> {
    const answered = await (kind === 'list_stacks' ? listStacks() : stopStack(sandboxId!)).catch((err: Error) => {
      log.error({ err, sandboxId }, 'operator request failed')
      return { failure: err.message }
    })
    await setAnswer(control, id, answered)
  }

  async function run(): Promise<void> {
    if (!options.isLeader()) return
    const { suspended: found, requests, moving } = await readOperatorWork(control)
    applySuspensions(found)
    await Promise.all(requests.map(answer))
    if (requests.length > 0) await deleteOldRequests(control)
    await options.undoAbandonedMoves(moving)
  }

  const everyMs = options.everyMs ?? EVERY_MS
  return createLoop({ name: 'operator', log, run, everyMs, isExpected: isUnavailable })
}
