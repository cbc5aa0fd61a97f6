import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { masked, newSecret, startOf } from '../subscriptions/secrets.ts'
import { deliveryHeaders, signersOf } from './delivery-headers.ts'

/** HMAC-SHA256 from its definition (RFC 2104), as an independent receiver may implement it. */
function hmac(key: Buffer, message: Buffer): Buffer {
  const hash = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
  const block = Buffer.alloc(64)
  ;(key.length > 64 ? hash(key) : key).copy(block)
  const xor = (by: number) => block.map((byte) => byte ^ by) as Buffer
  return hash(Buffer.from(xor(0x5c)), hash(Buffer.from(xor(0x36)), message))
}

type Headers = Record<string, string>

/** Checks `x-svc-signature`: the HMAC of the raw body, with the whole secret as the key. */
const isSigned = (secret: string, body: Buffer, header: string | undefined) =>
  header === hmac(Buffer.from(secret), body).toString('hex')

/** Checks `webhook-signature` as Standard Webhooks defines it: one matching signature is enough. */
function isStandard(secret: string, body: Buffer, headers: Headers): boolean {
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body])
  const expected = `v1,${hmac(Buffer.from(secret.replace('whsec_', ''), 'base64'), signed).toString('base64')}`
  return headers['webhook-signature']!.split(' ').includes(expected)
}

const bodies = fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes))
const instants = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })

describe('the headers of a delivery', () => {
  it('[WHK-18] are verified by an independent receiver, but not if its secret or the body is different', () => {
    fc.assert(
      fc.property(bodies, fc.uuid(), fc.integer({ min: 1, max: 9 }), instants, (body, idempotencyKey, attempt, at) => {
        const [secret, other] = [newSecret(), newSecret()]
        const signers = signersOf(secret, null, null)
        const headers = deliveryHeaders(signers, { idempotencyKey, attempt, body }, at)
        expect(isSigned(secret, body, headers['x-svc-signature'])).toBe(true)
        expect(isStandard(secret, body, headers)).toBe(true)
        expect(isSigned(other, body, headers['x-svc-signature'])).toBe(false)
        expect(isStandard(other, body, headers)).toBe(false)
        const changed = Buffer.concat([body, Buffer.from(' ')])
        expect(isSigned(secret, changed, headers['x-svc-signature'])).toBe(false)
        expect(isStandard(secret, changed, headers)).toBe(false)
        expect(headers).toMatchObject({
          'x-svc-idempotency-key': idempotencyKey,
          'x-svc-delivery-attempt': String(attempt),
          'webhook-id': idempotencyKey,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        })
        expect(headers).not.toHaveProperty('x-svc-signature-previous')
      }),
      { numRuns: 200 },
    )
  })

  it('[WHK-39] are verified with the secret from before the last rotation too, until that secret expires', () => {
    fc.assert(
      fc.property(bodies, instants, fc.integer({ min: -10, max: 10 }), (body, at, leftMs) => {
        const [secret, previousSecret] = [newSecret(), newSecret()]
        const previousSecretUntil = new Date(at.getTime() + leftMs)
        const signers = signersOf(secret, previousSecret, previousSecretUntil)
        const headers = deliveryHeaders(signers, { idempotencyKey: 'key', attempt: 1, body }, at)
        expect(isSigned(secret, body, headers['x-svc-signature'])).toBe(true)
        expect(isStandard(secret, body, headers)).toBe(true)
        expect(isSigned(previousSecret, body, headers['x-svc-signature-previous'])).toBe(leftMs > 0)
        expect(isStandard(previousSecret, body, headers)).toBe(leftMs > 0)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a secret', () => {
  it('[WHK-01, WHK-02] has at least 24 random bytes, and eight visible characters in its masked form', () => {
    const secret = newSecret()
    expect(Buffer.from(secret.slice(6), 'base64').length).toBeGreaterThanOrEqual(24)
    expect(masked(startOf(secret))).toBe(`${secret.slice(0, 8)}…`)
    expect(new Set(Array.from({ length: 1000 }, newSecret)).size).toBe(1000)
  })
})
