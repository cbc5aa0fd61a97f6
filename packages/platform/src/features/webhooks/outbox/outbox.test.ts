import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { POINT_UPDATED, startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'
import { outboundEvent } from './outbound-event.ts'
import { createOutbox } from './outbox.ts'

let webhooks: Webhooks
let receiver: Receiver
beforeAll(async () => {
  webhooks = await startWebhooks()
  receiver = await startReceiver()
})
afterAll(async () => {
  await webhooks.close()
  await receiver.close()
})
beforeEach(async () => {
  await webhooks.stack.db.run(sql`delete from webhooks`)
  await webhooks.stack.db.run(sql`delete from outbound_events`)
  receiver.received.length = 0
})

const event = (name: Parameters<typeof outboundEvent>[0] = POINT_UPDATED) =>
  outboundEvent(name, { buildingId: webhooks.stack.seeded.buildingId }, webhooks.clock.now())

describe('the outbox', () => {
  it('sends no events of a rolled-back transaction or a refused ingest', async () => {
    await webhooks.subscribe(receiver.url)
    const { db, seeded, send, webhooks: dispatcher } = webhooks.stack
    const outbox = createOutbox(db)
    const failing = db.transaction(async (tx) => {
      await outbox.put(tx, event())
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    const path = `/api/v1/buildings/${seeded.buildingId}/telemetry/observations`
    const observations = [{ pointId: '0191b6a0-0000-7000-8000-000000000000', value: '1' }]
    expect(await send('POST', path, { observations })).toMatchObject({ status: 400 })
    await dispatcher().idle()
    expect(receiver.received).toEqual([])
    expect(await db.rows(sql`select 1 from outbound_events`)).toEqual([])
  })

  it('writes nothing for an event without subscribers', async () => {
    await webhooks.subscribe(receiver.url, ['building.alarm.triggered'])
    const { db } = webhooks.stack
    await webhooks.observe()
    await db.transaction((tx) => createOutbox(db).put(tx, event()))
    expect(await db.rows(sql`select 1 from outbound_events`)).toEqual([])
  })

  it('delivers to subscribers, and follows changes of their subscriptions', async () => {
    const { id } = await webhooks.subscribe(receiver.url, ['building.alarm.triggered'])
    const { db, webhooks: dispatcher } = webhooks.stack
    await db.transaction((tx) => createOutbox(db).put(tx, event('building.alarm.triggered')))
    await dispatcher().idle()
    await webhooks.observe()
    await webhooks.send('PATCH', `/${id}`, { events: [POINT_UPDATED] })
    await webhooks.observe()
    await webhooks.send('PATCH', `/${id}`, { status: 'paused' })
    await webhooks.observe()
    await webhooks.send('PATCH', `/${id}`, { status: 'active' })
    await webhooks.observe()
    await webhooks.send('DELETE', `/${id}`)
    await webhooks.observe()
    expect(receiver.received.map(({ json }) => json.event)).toEqual([
      'building.alarm.triggered',
      POINT_UPDATED,
      POINT_UPDATED,
    ])
  })

  it('keeps working while webhooks are created and deleted', async () => {
    const { db } = webhooks.stack
    const outbox = createOutbox(db)
    let isOver = false
    const subscribe = async () => {
      for (let i = 0; i < 30; i++) {
        const { id } = await webhooks.subscribe(receiver.url)
        await webhooks.send('DELETE', `/${id}`)
      }
      isOver = true
    }
    const publish = async () => {
      while (!isOver) await db.transaction((tx) => outbox.put(tx, event()))
    }
    await Promise.all([subscribe(), publish(), publish(), publish()])
    expect(await db.rows(sql`select 1 from webhook_deliveries`)).toEqual([])
  })

  it('[EVT-05] has no events of changesets or of the status of elements', async () => {
    await webhooks.subscribe(receiver.url, ['building.element.status_changed', 'building.changeset.applied'])
    const { stack } = webhooks
    const base = `/api/v1/buildings/${stack.seeded.buildingId}`
    const id = stack.idOf(stack.building.elements[0]!.key)
    const operations = [{ op: 'update', kind: 'element', id, data: { status: 'out_of_service' } }]
    const { body } = await stack.send('POST', `${base}/changesets`, { title: 'Out of service', operations })
    for (const [step, how] of [
      ['submit', undefined],
      ['review', { decision: 'approve' }],
      ['apply', undefined],
    ] as const) {
      expect(await stack.send('POST', `${base}/changesets/${body.id}/${step}`, how)).toMatchObject({ status: 200 })
    }
    expect(await stack.send('PATCH', `${base}/elements/${id}`, { status: 'active' })).toMatchObject({ status: 200 })
    await stack.webhooks().idle()
    expect(receiver.received).toEqual([])
    expect(await stack.db.rows(sql`select 1 from outbound_events`)).toEqual([])
  })
})
