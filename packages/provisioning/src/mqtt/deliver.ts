import { setTimeout as sleep } from 'node:timers/promises'
import { type Problem, type ProblemCode, problems } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import { newRequestId } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { activeSpan } from '@storey/kit/tracing'
import type { KeepDeadLetter } from '../features/dead-letters/index.ts'
import type { SandboxRow } from '../features/sandboxes/index.ts'
import type { SandboxCache } from '../gateway/index.ts'
import { addressFor, type RunningStack, type StackAddress, type StackPool } from '../stacks/index.ts'
import { createFailures, digestOf, type Failure } from './failures.ts'
import { BatchTimeout, isStackReady, postToStack, type StackAnswer } from './post-to-stack.ts'
import { verdictOf } from './verdict.ts'

/** A problem as it is sent to the client. */
export type Refusal = Record<string, unknown> & { code: ProblemCode; detail: string }

interface Refused {
  kind: 'refused'
  refusal: Refusal
}

export type Outcome =
  | { kind: 'ingested' }
  /** The message is invalid, so a second attempt would be refused too. */
  | Refused
  /** Our own code failed repeatedly to process the message. It is stored, and the operator can resend it. */
  | { kind: 'deadLetter'; refusal: Refusal }
  /** The message was neither stored nor refused: the client should send it again. */
  | { kind: 'unstored'; reason: string }

export interface Delivery {
  slug: string
  topic: string
  siteId: string
  buildingId: string
  payload: Buffer
  /**
   * When the message arrived. Observations without a timestamp get this time. It is decided once, so that a repeated
   * delivery stores nothing new.
   */
  arrivedAt: Date
}

export interface DeliverOptions {
  sandboxCache: Pick<SandboxCache, 'find'>
  stacks: Pick<StackPool, 'use' | 'stopUnresponsive' | 'noteUnreachable'>
  tokenOf(row: SandboxRow): Promise<string>
  keepDeadLetter: KeepDeadLetter
  internalKeyOf(sandboxId: string): string
  responseTimeoutMs: number
  log: Log
  /** Aborted when the service stops. */
  closing: AbortSignal
  /** How long delivery is retried while the message is neither stored nor refused. */
  retryLimitMs?: number | undefined
  /** The first pause between two attempts; it doubles up to a limit. */
  pauseMs?: number | undefined
  /** How long a message must fail before it becomes a dead letter. */
  deadLetterAfterMs?: number | undefined
}

const RETRY_LIMIT_MS = 30_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000
/**
 * A message that fails this often and this long on a healthy stack becomes a dead letter, because it would block the
 * following messages for ever.
 */
const DEAD_LETTER_ATTEMPTS = 5
const DEAD_LETTER_AFTER_MS = 5_000
/** How long to wait for the report that a stack has exited. Its connections break a moment before this report. */
const END_LIMIT_MS = 1_000

export type Attempt =
  | { kind: 'ingested' }
  | Refused
  | { kind: 'unavailable'; reason: string }
  | { kind: 'failed'; reason: string; requestId: string; sandbox: SandboxRow }

/**
 * Delivers a message to its sandbox's stack, which is started if needed, and retries while delivery could succeed. The
 * message is posted to the REST route for observations (`post-to-stack.ts`), so MQTT and REST have the same ingest.
 */
export function createDelivery(options: DeliverOptions) {
  const { sandboxCache, stacks, internalKeyOf, responseTimeoutMs, log, closing } = options
  const { retryLimitMs = RETRY_LIMIT_MS, deadLetterAfterMs = DEAD_LETTER_AFTER_MS } = options
  const firstPauseMs = options.pauseMs ?? FIRST_PAUSE_MS
  // Signing a token takes as long as all other work for a message, so tokens are cached by row. A row is replaced in
  // the sandbox cache every second, and with it the token.
  const tokens = new WeakMap<SandboxRow, Promise<string>>()
  const failures = createFailures()

  function tokenOf(row: SandboxRow): Promise<string> {
    const token = tokens.get(row) ?? options.tokenOf(row)
    tokens.set(row, token)
    return token
  }

  /**
   * Makes one attempt to deliver a message. If it throws, the cause is not the MQTT message, and delivery is retried.
   */
  async function attempt({ slug, siteId, buildingId, payload, arrivedAt }: Delivery): Promise<Attempt> {
    const row = await sandboxCache.find(slug)
    if (!row) return { kind: 'unavailable', reason: 'the sandbox does not exist' }
    if (row.suspendedAt !== null) return { kind: 'unavailable', reason: 'the sandbox is suspended' }
    if (row.siteId === null || row.buildingId === null)
      return { kind: 'unavailable', reason: 'the sandbox is not ready' }
    if (siteId.toLowerCase() !== row.siteId) return refused(problems.notFound('site'))
    if (buildingId.toLowerCase() !== row.buildingId) return refused(problems.notFound('building'))
    const requestId = newRequestId()
    activeSpan()?.set({ 'storey.sandbox.id': row.id, 'storey.request.id': requestId })
    const { stack, release } = await stacks.use(row)
    const address = addressFor(stack)
    try {
      const token = await tokenOf(row)
      const ours = { token, internalKey: internalKeyOf(row.id), requestId, responseTimeoutMs }
      return read(
        await postToStack({ address, buildingId: row.buildingId, payload, arrivedAt, ...ours }),
        requestId,
        row,
      )
    } catch (err) {
      const reason = await endOf(row.id, stack, address, err as Error)
      if (reason === undefined || closing.aborted) throw err
      return { kind: 'failed', reason, requestId, sandbox: row }
    } finally {
      release()
    }
  }

  /** Why the stack did not answer: it hangs or has exited. Undefined: neither. */
  async function endOf(
    sandboxId: string,
    stack: RunningStack,
    address: StackAddress,
    err: Error,
  ): Promise<string | undefined> {
    if (err instanceof BatchTimeout) {
      stacks.stopUnresponsive(sandboxId, stack, address)
      return 'the stack did not respond'
    }
    const isOver = await Promise.race([stack.ended.then(() => true), sleep(END_LIMIT_MS, false, { ref: false })])
    if (!isOver) stacks.noteUnreachable(sandboxId, stack, address)
    return isOver ? 'the stack exited' : undefined
  }

  /**
   * Stores a dead letter and returns its id. Throws when it cannot be stored, or when the stack itself is not ready.
   */
  async function keepAsDeadLetter(
    delivery: Delivery,
    digest: string,
    failed: Attempt & { kind: 'failed' },
    failure: Failure,
  ) {
    const { sandbox, reason, requestId } = failed
    const { stack, release } = await stacks.use(sandbox)
    const isHealthy = await isStackReady(addressFor(stack)).finally(release)
    if (!isHealthy) throw new Error('the stack is not ready')
    const { attempts, firstAt: firstFailedAt, lastAt: lastFailedAt } = failure
    const { topic, payload, arrivedAt } = delivery
    const sandboxId = sandbox.id
    const failures = { reason, requestId, firstFailedAt, lastFailedAt, attempts }
    const letter = { sandboxId, topic, payload, arrivedAt, digest, ...failures }
    const id = await options.keepDeadLetter(letter)
    if (id === undefined) throw new Error('the sandbox has reached its limit of dead letters')
    log.error({ deadLetterId: id, sandboxId, requestId, reason, attempts }, 'MQTT message kept as a dead letter')
    return id
  }

  async function afterFailure(delivery: Delivery, failed: Attempt & { kind: 'failed' }): Promise<Outcome> {
    const digest = await digestOf(delivery.payload)
    const key = `${failed.sandbox.id} ${digest}`
    const failure = failures.note(key)
    const lastedMs = failure.lastAt.getTime() - failure.firstAt.getTime()
    if (failure.attempts < DEAD_LETTER_ATTEMPTS || lastedMs < deadLetterAfterMs)
      return { kind: 'unstored', reason: failed.reason }
    try {
      const deadLetterId = await keepAsDeadLetter(delivery, digest, failed, failure)
      failures.forget(key)
      const refusal = problems.deadLetter(deadLetterId).toWire(failed.requestId) as Refusal
      return { kind: 'deadLetter', refusal }
    } catch (err) {
      return { kind: 'unstored', reason: `${failed.reason}; ${(err as Error).message}` }
    }
  }

  async function deliver(delivery: Delivery): Promise<Outcome> {
    const deadline = elapsedMs() + retryLimitMs
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const outcome = await attempt(delivery).then(
        (tried) => {
          if (tried.kind === 'failed') return afterFailure(delivery, tried)
          return tried.kind === 'unavailable' ? ({ kind: 'unstored', reason: tried.reason } as const) : tried
        },
        (err: Error) => ({ kind: 'unstored', reason: err.message }) as const,
      )
      if (outcome.kind !== 'unstored' || closing.aborted || elapsedMs() >= deadline) return outcome
      await sleep(pauseMs, undefined, { signal: closing }).catch(() => undefined)
    }
  }

  return { deliver, attempt }
}

export type Deliver = ReturnType<typeof createDelivery>['deliver']

export function refused(problem: Problem): Refused {
  return { kind: 'refused', refusal: problem.toWire(newRequestId()) as Refusal }
}

function read({ status, object }: StackAnswer, requestId: string, sandbox: SandboxRow): Attempt {
  const detail = typeof object?.detail === 'string' ? object.detail : `the stack responded ${status}`
  const verdict = verdictOf(status)
  if (verdict === 'ingested') return { kind: 'ingested' }
  if (verdict === 'unavailable') return { kind: 'unavailable', reason: detail }
  if (verdict === 'failed') return { kind: 'failed', reason: detail, requestId, sandbox }
  const code = typeof object?.code === 'string' ? object.code : 'VALIDATION_FAILED'
  return { kind: 'refused', refusal: { status, requestId, ...object, code, detail } as Refusal }
}
