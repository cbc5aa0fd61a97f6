import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, type WebhookHeaders } from './verify-webhook.ts'

const SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another-secret-of-24-byt').toString('base64')}`
const DELIVERY = { event: 'building.point.updated', data: { buildingId: 'b' }, timestamp: '2026-03-01T08:00:00.000Z' }
const BODY = JSON.stringify({ ...DELIVERY, data: { buildingId: 'b', room: 'Küche' } })

const plain = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('hex')

/** Signs like the platform. */
function signed(body: string, secret: string, { previous, at = Date.now() }: { previous?: string; at?: number } = {}) {
  const seconds = Math.floor(at / 1000)
  const standard = (each: string) => {
    const key = Buffer.from(each.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`id-1.${seconds}.${body}`).digest('base64')}`
  }
  const own = {
    'x-svc-signature': plain(body, secret),
    ...(previous ? { 'x-svc-signature-previous': plain(body, previous) } : {}),
    'x-svc-idempotency-key': 'id-1',
    'x-svc-delivery-attempt': '2',
  }
  const theirs = {
    'webhook-id': 'id-1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': [secret, ...(previous ? [previous] : [])].map(standard).join(' '),
  }
  return { own, theirs, all: { ...own, ...theirs } }
}

const both = (body = BODY, secret = SECRET, further = {}): [string, Record<string, string>][] => {
  const { own, theirs } = signed(body, secret, further)
  return [
    ['X-SVC', own],
    ['Standard Webhooks', theirs],
  ]
}

describe('verifyWebhook', () => {
  it.each(both())('[SDK-05] accepts an unchanged body with the headers of %s', async (_, headers) => {
    const expected = { event: DELIVERY.event, data: { buildingId: 'b', room: 'Küche' }, timestamp: DELIVERY.timestamp }
    expect(await verifyWebhook({ body: BODY, headers, secret: SECRET })).toMatchObject(expected)
    const bytes = new TextEncoder().encode(BODY)
    expect(await verifyWebhook({ body: bytes, headers: new Headers(headers), secret: SECRET })).toMatchObject(expected)
    // A body that was parsed and serialized again is a different text.
    const again = JSON.stringify(JSON.parse(BODY), null, 1)
    await expect(verifyWebhook({ body: again, headers, secret: SECRET })).rejects.toThrow()
  })

  it('returns the idempotency key and the attempt', async () => {
    const { own, all } = signed(BODY, SECRET)
    const names = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const headers of [all, names as WebhookHeaders]) {
      expect(await verifyWebhook({ body: BODY, headers, secret: SECRET })).toMatchObject({
        idempotencyKey: 'id-1',
        attempt: 2,
      })
    }
  })

  it.each(both())('[SDK-06] refuses a changed body and a wrong secret with the headers of %s', async (_, headers) => {
    const refused = { reason: 'wrong_signature' }
    const changed = BODY.replace('"b"', '"c"')
    await expect(verifyWebhook({ body: changed, headers, secret: SECRET })).rejects.toMatchObject(refused)
    await expect(verifyWebhook({ body: BODY, headers, secret: OTHER })).rejects.toMatchObject(refused)
    for (const name of Object.keys(headers).filter((each) => each.endsWith('signature'))) {
      for (const text of ['v1,', 'v1,AAAA', 'nonsense', 'deadbeef', `${headers[name]!.slice(0, -4)}0000`]) {
        const bad = { ...headers, [name]: text }
        await expect(verifyWebhook({ body: BODY, headers: bad, secret: SECRET })).rejects.toMatchObject(refused)
      }
    }
  })

  it('[SDK-06] refuses a missing signature', async () => {
    const { 'x-svc-signature': _, ...without } = signed(BODY, SECRET).own
    for (const headers of [{}, without, { 'webhook-id': 'id-1', 'webhook-timestamp': '1' }]) {
      await expect(verifyWebhook({ body: BODY, headers, secret: SECRET })).rejects.toMatchObject({
        reason: 'missing_signature',
      })
    }
  })

  it('accepts both secrets during a rotation', async () => {
    for (const [, headers] of both(BODY, OTHER, { previous: SECRET })) {
      await verifyWebhook({ body: BODY, headers, secret: SECRET })
      await verifyWebhook({ body: BODY, headers, secret: OTHER })
    }
    for (const [, headers] of both()) await verifyWebhook({ body: BODY, headers, secrets: [OTHER, SECRET] })
  })

  it('refuses an old delivery, and a changed time', async () => {
    const { theirs } = signed(BODY, SECRET, { at: Date.now() - 600_000 })
    await expect(verifyWebhook({ body: BODY, headers: theirs, secret: SECRET })).rejects.toMatchObject({
      reason: 'too_old',
    })
    await verifyWebhook({ body: BODY, headers: theirs, secret: SECRET, toleranceSeconds: 3600 })
    const headers = { ...theirs, 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) }
    await expect(verifyWebhook({ body: BODY, headers, secret: SECRET })).rejects.toMatchObject({
      reason: 'wrong_signature',
    })
  })

  it('refuses a body that is not a delivery, and a missing secret', async () => {
    for (const body of ['[]', '{}', 'null', 'text', '{"event":"x","data":null,"timestamp":"t"}']) {
      const { all } = signed(body, SECRET)
      await expect(verifyWebhook({ body, headers: all, secret: SECRET })).rejects.toMatchObject({ reason: 'not_json' })
    }
    const { all } = signed(BODY, SECRET)
    await expect(verifyWebhook({ body: BODY, headers: all })).rejects.toThrow(TypeError)
    await expect(verifyWebhook({ body: BODY, headers: all, secret: '' })).rejects.toThrow(TypeError)
  })
})
