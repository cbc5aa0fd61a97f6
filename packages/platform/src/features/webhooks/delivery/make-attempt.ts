import { LIMITS } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { AddressRefused, type Outbound } from '@storey/kit/outbound'
import { deliveryHeaders, type Signers } from './delivery-headers.ts'

export interface Delivery {
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
}

const ERROR_LENGTH = 200

const UNSIGNED = {
  ...{ isSuccess: false, httpCode: null, responseBody: null, durationMs: 0 },
  error: 'The secret of this webhook cannot be read: rotate it',
}

/** Sends a delivery once. It does not throw: a failure is an outcome. */
export async function makeAttempt(outbound: Outbound, clock: Clock, delivery: Delivery): Promise<Outcome> {
  const { url, body, signers } = delivery
  const attemptedAt = clock.now()
  if (signers === null) return { ...UNSIGNED, attemptedAt }
  const from = performance.now()
  const headers = deliveryHeaders(signers, delivery, attemptedAt)
  const { timeoutMs, responseBytes: maxBytes } = LIMITS.webhook
  const result = await outbound.send(url, { method: 'POST', headers, body, timeoutMs, maxBytes }).then(
    (answer) => ({
      isSuccess: answer.status >= 200 && answer.status < 300,
      httpCode: answer.status,
      responseBody: readable(answer.body),
      error: null,
    }),
    (err: Error) => ({ isSuccess: false, httpCode: null, responseBody: null, error: errorText(err) }),
  )
  return { ...result, durationMs: Math.round(performance.now() - from), attemptedAt }
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
