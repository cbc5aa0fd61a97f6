import { LIMITS } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import {
  AddressRefused,
  type Destination,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
} from '@storey/kit/outbound'
import { inSpan, isTracing } from '@storey/kit/tracing'
import { deliveryHeaders, type Signers } from './delivery-headers.ts'

export interface Delivery {
  webhookId: string
  to: Destination
  /** Null if the secret cannot be read. Then nothing is sent, because every request must be signed. */
  signers: Signers | null
  idempotencyKey: string
  /** The number of this attempt, from 1. */
  attempt: number
  body: Buffer
}

/** The result of an attempt. */
export interface Outcome {
  isSuccess: boolean
  httpCode: number | null
  responseBody: string | null
  /** Why there was no response; null if there was one. */
  error: string | null
  durationMs: number
  attemptedAt: Date
  /**
   * The time limit passed while this process was suspended, for example with its machine: nothing is known about the
   * receiver.
   */
  isStalled?: boolean
  /** No request was sent, because the secret cannot be read: nothing is known about the receiver. */
  isUnsent?: boolean
}

const ERROR_LENGTH = 200
/** An attempt ends at its time limit. If it took this much longer, the process was suspended meanwhile. */
const STALLED_MS = 2_000

const UNSIGNED = {
  ...{ isSuccess: false, httpCode: null, responseBody: null, durationMs: 0 },
  ...{ isUnsent: true, error: 'The secret of this webhook cannot be read: rotate it' },
}

/** Sends a delivery once. It does not throw: a failure is an outcome. */
export async function makeAttempt(outbound: Outbound, clock: Clock, delivery: Delivery): Promise<Outcome> {
  const { body, signers } = delivery
  const attemptedAt = clock.now()
  if (signers === null) return { ...UNSIGNED, attemptedAt }
  const from = performance.now()
  const headers = deliveryHeaders(signers, delivery, attemptedAt)
  const { timeoutMs, responseBytes: maxBytes } = LIMITS.webhook
  const request = { method: 'POST', headers, body, timeoutMs, maxBytes } as const
  const elapsedMs = () => Math.round(performance.now() - from)
  try {
    const { status: httpCode, body: response } = await sendTraced(outbound, delivery, request)
    const isSuccess = httpCode >= 200 && httpCode < 300
    const durationMs = elapsedMs()
    return { isSuccess, httpCode, responseBody: readable(response), error: null, durationMs, attemptedAt }
  } catch (err) {
    const durationMs = elapsedMs()
    const isStalled = durationMs > timeoutMs + STALLED_MS
    const error = errorText(err as Error)
    return { isSuccess: false, httpCode: null, responseBody: null, error, durationMs, attemptedAt, isStalled }
  }
}

/**
 * Sends the request, in a span if tracing is on. The receiver belongs to somebody else and gets no trace context, so
 * the trace does not continue at the receiver. The span does not have the URL, because the path or the query of the URL
 * can contain a secret of the receiver.
 */
function sendTraced(
  outbound: Outbound,
  { to, webhookId, idempotencyKey, attempt }: Delivery,
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  const target = isTracing() ? URL.parse(to.url) : null
  if (target === null) return outbound.send(to, request)
  const attributes = {
    'http.request.method': request.method,
    'http.request.resend_count': attempt - 1,
    'server.address': target.hostname,
    'server.port': Number(target.port) || (target.protocol === 'https:' ? 443 : 80),
    'storey.webhook.id': webhookId,
    'storey.webhook.idempotency_key': idempotencyKey,
  }
  return inSpan({ name: 'POST webhook', kind: 'client', attributes }, async (span) => {
    const answer = await outbound.send(to, request)
    span?.set({ 'http.response.status_code': answer.status })
    if (answer.status >= 300) span?.fail(String(answer.status))
    return answer
  })
}

/** The beginning of a response as text, without NUL, which the database does not store. */
export function readable(bytes: Buffer): string {
  if (bytes.length === 0) return ''
  const { responseCharacters } = LIMITS.webhook
  // No character has more than four bytes.
  const text = bytes.subarray(0, responseCharacters * 4).toString('utf8')
  return [...text].slice(0, responseCharacters).join('').replaceAll('\0', '\ufffd')
}

function errorText(err: Error): string {
  if (err instanceof AddressRefused) return `The address was refused: ${err.reason}`
  return err.message.slice(0, ERROR_LENGTH)
}
