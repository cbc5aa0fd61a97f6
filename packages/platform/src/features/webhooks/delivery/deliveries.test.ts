import { createHmac } from 'node:crypto'
import { type DeliveryRecord, LIMITS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { answering, type Receiver, startReceiver } from '../testing/receiver.ts'
import { POINT_UPDATED, startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'
import { readable } from './make-attempt.ts'

let webhooks: Webhooks
const receivers: Receiver[] = []
beforeAll(async () => {
  webhooks = await startWebhooks()
})
afterAll(async () => {
  await webhooks.close()
  for (const receiver of receivers) await receiver.close()
})
afterEach(async () => {
  for (const { id } of (await webhooks.send('GET')).body.data) await webhooks.send('DELETE', `/${id}`)
})

async function receiving(how?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(how)
  receivers.push(receiver)
  return receiver
}
const signature = (secret: string, body: Buffer) => createHmac('sha256', secret).update(body).digest('hex')
const redeliver = async (id: string, deliveryId: string) => {
  const answer = await webhooks.send('POST', `/${id}/deliveries/${deliveryId}/redeliver`)
  await webhooks.stack.webhooks().idle()
  return answer
}

describe('GET …/deliveries/<deliveryId>', () => {
  it('[WHK-47] returns the request without signatures, and every attempt with its response', async () => {
    const receiver = await receiving(answering(503, 'try later'))
    const { id, secret } = await webhooks.subscribe(receiver.url)
    await webhooks.observe('22.25')
    const [{ deliveryId, idempotencyKey }] = (await webhooks.attempts(id)) as [DeliveryRecord]
    const read = () => webhooks.send('GET', `/${id}/deliveries/${deliveryId.toUpperCase()}`)
    const { body, status } = await read()
    expect(status).toBe(200)
    const sent = receiver.received[0]!
    expect(body).toEqual({
      ...{ deliveryId, idempotencyKey, event: POINT_UPDATED, state: 'pending' },
      createdAt: expect.any(String),
      nextAttemptAt: expect.any(String),
      request: { headers: expect.any(Array), body: sent.body.toString(), bodyBytes: sent.body.length },
      attempts: [expect.objectContaining({ attempt: 1, status: 'failed', httpCode: 503, responseBody: 'try later' })],
    })
    for (const { name, value } of body.request.headers) expect([name, value]).toEqual([name, sent.headers[name]])
    for (const hidden of [secret, signature(secret, sent.body)]) expect(JSON.stringify(body)).not.toContain(hidden)
    receiver.answer(answering(200))
    await redeliver(id, deliveryId)
    const again = (await read()).body
    expect(again.state).toBe('succeeded')
    expect(again.nextAttemptAt).toBeNull()
    expect(again.attempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual([2, 1])
  })

  it('[WHK-47] returns the beginning of a long body, and never half a character', async () => {
    const receiver = await receiving()
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe('22.25')
    const [{ deliveryId }] = (await webhooks.attempts(id)) as [DeliveryRecord]
    const long = Buffer.from(`"${'я'.repeat(LIMITS.webhook.shownBodyBytes)}"`)
    await webhooks.stack.db.run(sql`update outbound_events set body = ${long}`)
    const { request } = (await webhooks.send('GET', `/${id}/deliveries/${deliveryId}`)).body
    expect(request.bodyBytes).toBe(long.length)
    expect(request.body).toBe(`"${'я'.repeat(LIMITS.webhook.shownBodyBytes / 2 - 1)}`)
  })

  it('[WHK-47] responds with 404 for an unknown delivery and for a delivery of another webhook', async () => {
    const receiver = await receiving()
    const { id } = await webhooks.subscribe(receiver.url)
    const other = await webhooks.subscribe(receiver.url, ['building.alarm.triggered'])
    await webhooks.observe()
    const [{ deliveryId }] = (await webhooks.attempts(id)) as [DeliveryRecord]
    for (const path of [`/${id}/deliveries/nothing`, `/${other.id}/deliveries/${deliveryId}`]) {
      expect(await webhooks.send('GET', path), path).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })
})

describe('a delivery', () => {
  it('[WHK-17, WHK-18, WHK-20] is a signed POST of the event', async () => {
    const receiver = await receiving()
    const { secret } = await webhooks.subscribe(`${receiver.url}/a/path?with=query`)
    await webhooks.observe('22.25')
    const [{ method, path, headers, body, json }] = receiver.received as [Receiver['received'][0]]
    expect({ method, path, type: headers['content-type'] }).toEqual({
      method: 'POST',
      path: '/a/path?with=query',
      type: 'application/json',
    })
    const { stack, clock } = webhooks
    const { key, elementKey } = stack.building.points[0]!
    const timestamp = clock.now().toISOString()
    expect(json).toEqual({
      event: POINT_UPDATED,
      data: {
        buildingId: stack.seeded.buildingId,
        observations: [
          { pointId: stack.idOf(key), elementId: stack.idOf(elementKey), value: '22.25', timestamp, source: null },
        ],
      },
      timestamp,
    })
    expect(headers['x-svc-signature']).toBe(signature(secret, body))
    expect(headers['x-svc-delivery-attempt']).toBe('1')
    expect(headers['webhook-id']).toBe(headers['x-svc-idempotency-key'])
  })

  it('[WHK-19, WHK-20, WHK-21] has the same body and key on every attempt, and a header with the number of the attempt', async () => {
    const receiver = await receiving(answering(503))
    const { secret } = await webhooks.subscribe(receiver.url)
    await webhooks.observe('1')
    await webhooks.observe('2')
    await webhooks.pass(70_000)
    await webhooks.pass(340_000)
    const byKey = Map.groupBy(receiver.received, ({ headers }) => headers['x-svc-idempotency-key'])
    expect([...byKey.values()].map((attempts) => attempts.length)).toEqual([3, 3])
    for (const attempts of byKey.values()) {
      expect(attempts.map(({ headers }) => headers['x-svc-delivery-attempt'])).toEqual(['1', '2', '3'])
      expect(new Set(attempts.map(({ body }) => body.toString('latin1'))).size).toBe(1)
      for (const { headers, body } of attempts) expect(headers['x-svc-signature']).toBe(signature(secret, body))
    }
    const [one, two] = [...byKey.values()].map((attempts) => attempts[0]!.json.data.observations[0].value)
    expect([one, two].sort()).toEqual(['1', '2'])
  })

  it.each([
    [200, 'succeeded'],
    [201, 'succeeded'],
    [204, 'succeeded'],
    [299, 'succeeded'],
    [300, 'failed'],
    [304, 'failed'],
    [400, 'failed'],
    [404, 'failed'],
    [410, 'failed'],
    [500, 'failed'],
  ])('[WHK-22] with the response %i has %s', async (code, status) => {
    const receiver = await receiving(answering(code))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    expect(await webhooks.attempts(id)).toMatchObject([{ status, httpCode: code, error: null }])
  })

  it.each([301, 302, 303, 307, 308])('[WHK-22] does not follow a redirect with %i', async (code) => {
    const elsewhere = await receiving()
    const receiver = await receiving(answering(code, '', { location: elsewhere.url }))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    expect(await webhooks.attempts(id)).toMatchObject([{ status: 'failed', httpCode: code }])
    expect(elsewhere.received).toEqual([])
  })

  it('[WHK-23, WHK-42] waits at most ten seconds for the whole response, and delays no delivery of another webhook', async () => {
    const [silent, slow, healthy] = [
      await receiving(() => undefined),
      // A byte now and then keeps a connection busy without completing the response.
      await receiving((_, response) => {
        response.writeHead(200)
        const dripping = setInterval(() => response.write('.'), 500)
        response.on('close', () => clearInterval(dripping))
      }),
      await receiving(),
    ]
    const hanging = [await webhooks.subscribe(silent.url), await webhooks.subscribe(slow.url)]
    const { id } = await webhooks.subscribe(healthy.url)
    // More deliveries than one receiver gets at the same time.
    for (let i = 0; i < 15; i++) await webhooks.post()
    await healthy.waitFor(15)
    await expect.poll(async () => (await webhooks.attempts(id)).length).toBe(15)
    for (const each of hanging) expect(await webhooks.attempts(each.id)).toEqual([])
    for (const each of hanging) {
      await expect.poll(async () => (await webhooks.attempts(each.id)).length).toBeGreaterThan(0)
      const [attempt] = await webhooks.attempts(each.id)
      expect(attempt).toMatchObject({
        status: 'failed',
        httpCode: null,
        responseBody: null,
        error: 'the request timed out',
      })
      expect(attempt!.durationMs).toBeGreaterThanOrEqual(LIMITS.webhook.timeoutMs - 50)
      await webhooks.send('DELETE', `/${each.id}`)
    }
    await Promise.all([silent.close(), slow.close()])
  })

  it('[WHK-24, WHK-37] reads at most 64 KB of a response, and stores its first 1,000 characters', async () => {
    const text = 'äé€😀'.repeat(20_000)
    const receiver = await receiving((_, response) => void response.writeHead(200).write(text))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    const [attempt] = await webhooks.attempts(id)
    expect(attempt).toMatchObject({ status: 'succeeded', httpCode: 200 })
    expect(attempt!.responseBody).toBe('äé€😀'.repeat(250))
  })

  it('stores a binary response as text, with a replacement character for each invalid byte and NUL', async () => {
    expect(readable(Buffer.from([0x61, 0, 0xff, 0x62]))).toBe('a\ufffd\ufffdb')
    const receiver = await receiving((_, response) => void response.writeHead(500).end(Buffer.from([0, 0xc3, 0x28, 7])))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    expect((await webhooks.attempts(id))[0]).toMatchObject({ status: 'failed', responseBody: '\ufffd\ufffd(\u0007' })
  })

  it('fails with an error if the port of the receiver is closed', async () => {
    const receiver = await receiving()
    await receiver.close()
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    const [attempt] = await webhooks.attempts(id)
    expect(attempt).toMatchObject({ status: 'failed', httpCode: null, error: 'the connection was refused' })
  })
})

describe('GET …/deliveries', () => {
  it('[WHK-34, WHK-35, WHK-36] lists the last 50 attempts, newest first', async () => {
    const receiver = await receiving(answering(500, 'sorry'))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe('failing')
    const { clock } = webhooks
    const failedAt = clock.now().toISOString()
    const [failed] = await webhooks.attempts(id)
    expect(failed).toEqual({
      deliveryId: expect.any(String),
      event: POINT_UPDATED,
      idempotencyKey: receiver.received[0]!.headers['x-svc-idempotency-key'],
      attempt: 1,
      status: 'failed',
      httpCode: 500,
      responseBody: 'sorry',
      error: null,
      durationMs: expect.any(Number),
      attemptedAt: failedAt,
      nextAttemptAt: expect.any(String),
    })
    receiver.answer(answering(200))
    await webhooks.pass(70_000)
    const [again] = await webhooks.attempts(id)
    expect(again).toMatchObject({
      deliveryId: failed!.deliveryId,
      attempt: 2,
      status: 'succeeded',
      nextAttemptAt: null,
    })

    for (let i = 0; i < 55; i++) {
      clock.advance(1000)
      await webhooks.post(String(i))
    }
    await webhooks.stack.webhooks().idle()
    const { body } = await webhooks.send('GET', `/${id}/deliveries`)
    expect(body).toMatchObject({ total: 50, limit: 50, offset: 0 })
    const times = body.data.map(({ attemptedAt }: { attemptedAt: string }) => attemptedAt)
    expect(times).toEqual(times.toSorted().reverse())
    expect(new Set(body.data.map(({ deliveryId }: { deliveryId: string }) => deliveryId)).size).toBe(50)
    expect(await webhooks.send('GET', `/${id}/deliveries?limit=10`)).toMatchObject({ status: 400 })
  })
})

describe('POST …/redeliver', () => {
  it('[WHK-38, WHK-39] sends the same delivery again, signed with the current secret', async () => {
    const receiver = await receiving()
    const { id, secret } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    const { deliveryId } = (await webhooks.attempts(id))[0]!
    const rotated = await webhooks.send('POST', `/${id}/rotate-secret`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.secret).toMatch(/^whsec_.{32,}/)
    expect(rotated.body.secret).not.toBe(secret)
    expect((await webhooks.read(id)).secret).toBe(`${rotated.body.secret.slice(0, 8)}…`)

    expect(await redeliver(id, deliveryId)).toMatchObject({ status: 202, body: { deliveryId } })
    const [first, second] = receiver.received as [Receiver['received'][0], Receiver['received'][0]]
    expect(second.body.equals(first.body)).toBe(true)
    expect(second.headers['x-svc-idempotency-key']).toBe(first.headers['x-svc-idempotency-key'])
    expect(second.headers['x-svc-delivery-attempt']).toBe('2')
    expect(second.headers['x-svc-signature']).toBe(signature(rotated.body.secret, second.body))
    expect(second.headers['x-svc-signature-previous']).toBe(signature(secret, second.body))
    expect(String(second.headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect((await webhooks.attempts(id)).map(({ attempt, status }) => [attempt, status])).toEqual([
      [2, 'succeeded'],
      [1, 'succeeded'],
    ])

    webhooks.clock.advance(LIMITS.webhook.previousSecretMs)
    await redeliver(id, deliveryId)
    const third = receiver.received[2]!
    expect(third.headers['x-svc-signature']).toBe(signature(rotated.body.secret, third.body))
    expect(third.headers).not.toHaveProperty('x-svc-signature-previous')
    expect(String(third.headers['webhook-signature']).split(' ')).toHaveLength(1)
  })

  it('[WHK-38] makes one more attempt of an ended delivery, and the next attempt of a pending one immediately', async () => {
    const receiver = await receiving(answering(500))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    const { deliveryId } = (await webhooks.attempts(id))[0]!
    expect(await redeliver(id, deliveryId)).toMatchObject({ status: 202 })
    expect((await webhooks.attempts(id))[0]).toMatchObject({ attempt: 2, status: 'failed' })
    for (let i = 0; i < 5; i++) await webhooks.pass(4 * 3_600_000)
    expect((await webhooks.attempts(id))[0]).toMatchObject({ attempt: 6, status: 'dead_letter' })
    await redeliver(id, deliveryId)
    expect((await webhooks.attempts(id))[0]).toMatchObject({ attempt: 7, status: 'dead_letter', nextAttemptAt: null })
    receiver.answer(answering(200))
    await redeliver(id, deliveryId)
    expect((await webhooks.attempts(id))[0]).toMatchObject({ attempt: 8, status: 'succeeded' })
    await webhooks.pass(24 * 3_600_000)
    expect(receiver.received).toHaveLength(8)
  })

  it('[WHK-38] is accepted if a process crashed while it sent the delivery, and the clock was then set back', async () => {
    const receiver = await receiving(answering(500))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.post()
    await receiver.waitFor(1)
    await webhooks.stack.webhooks().idle()
    const { deliveryId } = (await webhooks.stack.db.row<{ deliveryId: string }>(
      sql`update webhook_deliveries set leased_until = ${webhooks.clock.now()}::timestamptz + interval '1 hour'
        where webhook_id = ${id} returning id as "deliveryId"`,
    ))!
    expect(await redeliver(id, deliveryId)).toMatchObject({ status: 202 })
    await receiver.waitFor(2)
  })

  it('[WHK-38] is refused while the delivery is being sent, while a person has paused the webhook, and at the path of another webhook', async () => {
    let answer: () => void = () => undefined
    const receiver = await receiving((_, response) => {
      answer = () => response.writeHead(200).end()
    })
    const { id } = await webhooks.subscribe(receiver.url)
    const other = await webhooks.subscribe(`${receiver.url}/other`, ['building.alarm.triggered'])
    await webhooks.post()
    await receiver.waitFor(1)
    const { deliveryId } = (await webhooks.stack.db.row<{ deliveryId: string }>(
      sql`select id as "deliveryId" from webhook_deliveries where webhook_id = ${id}`,
    ))!
    const path = `/${id}/deliveries/${deliveryId}/redeliver`
    expect(await webhooks.send('POST', path)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    answer()
    await webhooks.stack.webhooks().idle()
    await webhooks.send('PATCH', `/${id}`, { status: 'paused' })
    expect(await webhooks.send('POST', path)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect(await webhooks.send('POST', path.replace(id, other.id))).toMatchObject({ status: 404 })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('POST …/test', () => {
  it('[WHK-40] sends a test immediately and lists it; a test that fails does not count as a failure of the webhook', async () => {
    const receiver = await receiving(answering(201, 'thanks'))
    const { id, secret } = await webhooks.subscribe(receiver.url, ['building.alarm.triggered'])
    const { status, body } = await webhooks.send('POST', `/${id}/test`)
    expect(status).toBe(200)
    const [{ headers, body: bytes, json }] = receiver.received as [Receiver['received'][0]]
    const timestamp = webhooks.clock.now().toISOString()
    expect(json).toEqual({ event: 'webhook.test', data: { webhookId: id }, timestamp })
    expect(headers['x-svc-signature']).toBe(signature(secret, bytes))
    expect(body).toEqual({
      deliveryId: expect.any(String),
      event: 'webhook.test',
      idempotencyKey: headers['x-svc-idempotency-key'],
      attempt: 1,
      status: 'succeeded',
      httpCode: 201,
      responseBody: 'thanks',
      error: null,
      durationMs: expect.any(Number),
      attemptedAt: timestamp,
      nextAttemptAt: null,
    })
    expect(await webhooks.attempts(id)).toEqual([body])

    receiver.answer(answering(500))
    for (let i = 0; i < 12; i++) {
      expect((await webhooks.send('POST', `/${id}/test`)).body).toMatchObject({ status: 'dead_letter', httpCode: 500 })
    }
    expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 0 })
    await webhooks.pass(24 * 3_600_000)
    expect(receiver.received).toHaveLength(13)
  })

  it('[WHK-40] does not reset the count of failures when the test succeeds', async () => {
    const receiver = await receiving(answering(500))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    receiver.answer(answering(200))
    await webhooks.send('POST', `/${id}/test`)
    expect(await webhooks.read(id)).toMatchObject({ consecutiveFailures: 1 })
  })
})
