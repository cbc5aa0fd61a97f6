import { setTimeout as sleep } from 'node:timers/promises'
import { type Problem, type ProblemCode, problems } from '@storey/contract'
import { newRequestId } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { SandboxRow } from '../features/sandboxes/sandboxes.store.ts'
import type { Doors } from '../gateway/doors.ts'
import type { StackPool } from '../stacks/stack-pool.ts'
import { BatchSilent, putToStack } from './put-to-stack.ts'

/** A problem in its wire form. */
export type Refusal = Record<string, unknown> & { code: ProblemCode; detail: string }

export type Outcome =
  | { kind: 'ingested' }
  /** The message is at fault: the same one would be refused again. */
  | { kind: 'refused'; refusal: Refusal }
  /** Nobody could look at the message, or store it: it should come again. */
  | { kind: 'unstored'; reason: string }

export interface Delivery {
  slug: string
  siteId: string
  buildingId: string
  payload: Buffer
}

export interface DeliverOptions {
  doors: Pick<Doors, 'find'>
  stacks: Pick<StackPool, 'use' | 'stop'>
  tokenOf(row: SandboxRow): Promise<string>
  internalKey: string
  silenceLimitMs: number
  log: Log
  /** Ends every wait: the service stops. */
  closing: AbortSignal
  /** How long a message is tried for when its stack cannot take it. */
  patienceMs?: number | undefined
}

const PATIENCE_MS = 30_000
const FIRST_PAUSE_MS = 100
const MOST_PAUSE_MS = 2_000
/** A message at which a healthy stack fails so often would hold up those behind it for ever. */
const MOST_FAILURES = 5

/** Answers that say nothing of the message: who we are, how much came, or the state of the stack. */
const NOT_ITS_FAULT = new Set([401, 408, 429])

type Attempt = Outcome | { kind: 'failed'; refusal: Refusal } | { kind: 'gone' }

/** Brings a message to its sandbox's stack, which is woken if need be, and does not let go while it may yet succeed. */
export function createDelivery(options: DeliverOptions) {
  const { doors, stacks, internalKey, silenceLimitMs, log, closing, patienceMs = PATIENCE_MS } = options
  // A row is read anew each second; a signature takes as long as all else that is done for a message here.
  const tokens = new WeakMap<SandboxRow, Promise<string>>()

  function tokenOf(row: SandboxRow): Promise<string> {
    const token = tokens.get(row) ?? options.tokenOf(row)
    tokens.set(row, token)
    return token
  }

  async function attempt(delivery: Delivery): Promise<Attempt> {
    const row = await doors.find(delivery.slug)
    if (!row) return { kind: 'gone' }
    if (row.status === 'failed') {
      return refused(problems.conflict('status', 'The sandbox could not be made: reset or delete it'))
    }
    if (row.siteId === null || row.buildingId === null) return { kind: 'unstored', reason: 'the sandbox is not ready' }
    if (delivery.siteId.toLowerCase() !== row.siteId) return refused(problems.notFound('site'))
    if (delivery.buildingId.toLowerCase() !== row.buildingId) return refused(problems.notFound('building'))
    const { stack, release } = await stacks.use(row.id)
    try {
      const token = await tokenOf(row)
      const { payload } = delivery
      const batch = { stack, buildingId: row.buildingId, payload, token, internalKey, requestId: newRequestId() }
      return read(await putToStack({ ...batch, silenceLimitMs }))
    } catch (err) {
      if (err instanceof BatchSilent) endSilent(row.id)
      throw err
    } finally {
      release()
    }
  }

  function endSilent(sandboxId: string): void {
    log.error({ sandboxId }, 'a stack does not answer, and is ended')
    stacks.stop(sandboxId).catch((err) => log.error({ err, sandboxId }, 'a silent stack did not stop'))
  }

  return async function deliver(delivery: Delivery): Promise<Outcome> {
    const deadline = Date.now() + patienceMs
    let failures = 0
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS)) {
      const outcome = await attempt(delivery).catch((err: Error) => ({
        kind: 'unstored' as const,
        reason: err.message,
      }))
      if (outcome.kind === 'ingested' || outcome.kind === 'refused') return outcome
      if (outcome.kind === 'gone') return { kind: 'unstored', reason: 'the sandbox is gone' }
      if (outcome.kind === 'failed' && ++failures >= MOST_FAILURES) return { ...outcome, kind: 'refused' }
      if (closing.aborted || Date.now() >= deadline) {
        return outcome.kind === 'unstored' ? outcome : { kind: 'unstored', reason: outcome.refusal.detail }
      }
      await sleep(pauseMs, undefined, { signal: closing }).catch(() => undefined)
    }
  }
}

export type Deliver = ReturnType<typeof createDelivery>

export function refused(problem: Problem): { kind: 'refused'; refusal: Refusal } {
  return { kind: 'refused', refusal: problem.toWire(newRequestId()) as Refusal }
}

function read({ status, text }: { status: number; text: string }): Attempt {
  if (status === 202) return { kind: 'ingested' }
  const refusal = JSON.parse(text) as Refusal
  if (status === 500) return { kind: 'failed', refusal }
  if (status > 500 || NOT_ITS_FAULT.has(status)) return { kind: 'unstored', reason: refusal.detail }
  return { kind: 'refused', refusal }
}
