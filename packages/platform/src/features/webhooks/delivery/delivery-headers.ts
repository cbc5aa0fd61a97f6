import { createHmac, type KeyObject } from 'node:crypto'
import { VERSION, WEBHOOK_HEADERS } from '@storey/contract'
import { type SigningKeys, signingKeys } from '../subscriptions/secrets.ts'

/** The keys that sign the deliveries of a webhook. */
export interface Signers {
  current: SigningKeys
  /** The keys of the secret before the last rotation. They also sign until `previousUntil`. */
  previous: SigningKeys | null
  previousUntil: Date | null
}

export function signersOf(secret: string, previousSecret: string | null, previousUntil: Date | null): Signers {
  const previous = previousSecret === null ? null : signingKeys(previousSecret)
  return { current: signingKeys(secret), previous, previousUntil }
}

export const CONTENT_TYPE = 'application/json'
const USER_AGENT = `Storey/${VERSION}`

/** The headers of an attempt, such as its content type, signatures, idempotency key and number. */
export function deliveryHeaders(
  { current, previous, previousUntil }: Signers,
  { idempotencyKey, attempt, body }: { idempotencyKey: string; attempt: number; body: Buffer },
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const standard = (keys: SigningKeys) => {
    const signing = createHmac('sha256', keys.standard).update(`${idempotencyKey}.${timestamp}.`)
    return `v1,${signing.update(body).digest('base64')}`
  }
  const headers: Record<string, string> = {
    'content-type': CONTENT_TYPE,
    'user-agent': USER_AGENT,
    [WEBHOOK_HEADERS.signature]: sign(current.whole, body),
    [WEBHOOK_HEADERS.idempotencyKey]: idempotencyKey,
    [WEBHOOK_HEADERS.attempt]: String(attempt),
    [WEBHOOK_HEADERS.standardId]: idempotencyKey,
    [WEBHOOK_HEADERS.standardTimestamp]: timestamp,
    [WEBHOOK_HEADERS.standardSignature]: standard(current),
  }
  if (previous !== null && previousUntil !== null && at < previousUntil) {
    headers[WEBHOOK_HEADERS.previousSignature] = sign(previous.whole, body)
    headers[WEBHOOK_HEADERS.standardSignature] += ` ${standard(previous)}`
  }
  return headers
}

function sign(key: KeyObject, body: Buffer): string {
  return createHmac('sha256', key).update(body).digest('hex')
}
