import { LIMITS } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { AddressRefused, type Outbound, type OutboundAnswer, type OutboundRequest } from '@storey/kit/outbound'
import { inSpan, isTracing } from '@storey/kit/tracing'
import { deliveryHeaders, type Signers } from './delivery-headers.ts'

export interface Delivery {
  webhookId: string
  url: string
  /** Null: the secret cannot be read, and nothing is sent unsigned. */
  signers: Signers | null
  idempotencyKey: string
  /** The number of this attempt. */
  attempt: number
  body: Buffer
}

/** The result of an attempt. */
export interface Outcome {
  isSuccess: boolean
  httpCode: number | null
  responseBody: string | null
  /** Why there was no response. */
  error: string | null
  durationMs: number
  attemptedAt: Date
  /**
   * The time limit passed while this process stood still, as on a machine that was suspended: nothing is known about the
   * receiver.
   */
  isStalled?: boolean
}

const ERROR_LENGTH = 200
/** Every step of an attempt has a time limit, so an attempt that takes this much longer stood still with its process. */
const STALLED_MS = 2_000

const UNSIGNED = {
  ...{ isSuccess: false, httpCode: null, responseBody: null, durationMs: 0 },
  error: 'The secret of this webhook cannot be read: rotate it',
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
  const result = await sendTraced(outbound, delivery, request).then(
    (answer) => ({
      isSuccess: answer.status >= 200 && answer.status < 300,
      httpCode: answer.status,
      responseBody: readable(answer.body),
      error: null,
    }),
    (err: Error) => ({ isSuccess: false, httpCode: null, responseBody: null, error: errorText(err) }),
  )
  const durationMs = Math.round(performance.now() - from)
  const isStalled = result.httpCode === null && durationMs > timeoutMs + STALLED_MS
  return { ...result, durationMs, attemptedAt, ...(isStalled ? { isStalled } : {}) }
}

/**
 * The span of an attempt is the last one of its trace: the receiver is somebody else's, and gets no trace context. The
 * span does not have the URL, whose path or query may be a secret of the receiver.
 */
function sendTraced(
  outbound: Outbound,
  { url, webhookId, idempotencyKey, attempt }: Delivery,
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  const target = isTracing() ? URL.parse(url) : null
  if (target === null) return outbound.send(url, request)
  const attributes = {
    'http.request.method': request.method,
    'http.request.resend_count': attempt - 1,
    'server.address': target.hostname,
    'server.port': Number(target.port) || (target.protocol === 'https:' ? 443 : 80),
    'storey.webhook.id': webhookId,
    'storey.webhook.idempotency_key': idempotencyKey,
  }
  return inSpan({ name: 'POST webhook', kind: 'client', attributes }, async (span) => {
    const answer = await outbound.send(url, request)
    span?.set({ 'http.response.status_code': answer.status })
    if (answer.status >= 300) span?.fail(String(answer.status))
    return answer
  })
}

/** The beginning of a response as text, without NUL, which the database does not store. */
export function readable(bytes: Buffer): string {
  const { responseCharacters } = LIMITS.webhook
  // No character has more than four bytes.
  const text = bytes.subarray(0, responseCharacters * 4).toString('utf8')
  return [...text].slice(0, responseCharacters).join('').replaceAll('\0', '\ufffd')
}

function errorText(err: Error): string {
  if (err instanceof AddressRefused) return `The address was refused: ${err.reason}`
  return err.message.slice(0, ERROR_LENGTH)
}
