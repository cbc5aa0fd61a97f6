import { createHmac, type KeyObject } from 'node:crypto'
import { WEBHOOK_HEADERS } from '@storey/contract'
import { keyOf } from '../subscriptions/secrets.ts'

export interface Signers {
  secret: string
  /** The secret before the last rotation. It also signs until `previousSecretUntil`. */
  previousSecret: string | null
  previousSecretUntil: Date | null
}

/** The headers of an attempt: signatures, idempotency key and number of the attempt. */
export function deliveryHeaders(
  { secret, previousSecret, previousSecretUntil }: Signers,
  { idempotencyKey, attempt, body, at }: { idempotencyKey: string; attempt: number; body: Buffer; at: Date },
): Record<string, string> {
  const previous = previousSecretUntil !== null && at < previousSecretUntil ? previousSecret : null
  const seconds = Math.floor(at.getTime() / 1000)
  const standard = [secret, ...(previous === null ? [] : [previous])].map((each) => {
    const text = [`${idempotencyKey}.${seconds}.`, body]
    return `v1,${hmac(keyOf(each), text).toString('base64')}`
  })
  return {
    [WEBHOOK_HEADERS.signature]: hmac(secret, [body]).toString('hex'),
    ...(previous === null ? {} : { [WEBHOOK_HEADERS.previousSignature]: hmac(previous, [body]).toString('hex') }),
    [WEBHOOK_HEADERS.idempotencyKey]: idempotencyKey,
    [WEBHOOK_HEADERS.attempt]: String(attempt),
    [WEBHOOK_HEADERS.standardId]: idempotencyKey,
    [WEBHOOK_HEADERS.standardTimestamp]: String(seconds),
    [WEBHOOK_HEADERS.standardSignature]: standard.join(' '),
  }
}

function hmac(key: string | KeyObject, parts: readonly (string | Buffer)[]): Buffer {
  const signing = createHmac('sha256', key)
  for (const part of parts) signing.update(part)
  return signing.digest()
}
