import { createHmac } from 'node:crypto'
import { VERSION, WEBHOOK_HEADERS } from '@storey/contract'

const PREFIX = 'whsec_'

export interface SignedDelivery {
  secret: string
  idempotencyKey: string
  body: Buffer
  at: Date
}

/** The same headers that a sandbox sends with the first attempt of a delivery. */
export function webhookHeaders({ secret, idempotencyKey, body, at }: SignedDelivery): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const standard = createHmac('sha256', key).update(`${idempotencyKey}.${seconds}.`).update(body).digest('base64')
  return {
    'content-type': 'application/json',
    'user-agent': `Storey/${VERSION}`,
    [WEBHOOK_HEADERS.signature]: createHmac('sha256', secret).update(body).digest('hex'),
    [WEBHOOK_HEADERS.idempotencyKey]: idempotencyKey,
    [WEBHOOK_HEADERS.attempt]: '1',
    [WEBHOOK_HEADERS.standardId]: idempotencyKey,
    [WEBHOOK_HEADERS.standardTimestamp]: seconds,
    [WEBHOOK_HEADERS.standardSignature]: `v1,${standard}`,
  }
}

/** A secret in the format of webhook secrets: a prefix and base64. */
export const secretOf = (bytes: Buffer): string => PREFIX + bytes.subarray(0, 24).toString('base64')
