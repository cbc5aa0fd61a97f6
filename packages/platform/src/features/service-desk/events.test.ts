import { INTERNAL_EVENTS, LIVE_EVENTS, TicketEvent, WEBHOOK_EVENTS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { createBodyCheck } from '@storey/kit/http'
import { type Log, silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { connected, liveClient, receivedBy } from '../../live/testing/test-live.ts'
import { sandboxToken } from '../../testing/tokens.ts'
import { createServiceDesk } from './create-service-desk.ts'
import { NOBODY, REQUESTS, startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
beforeAll(async () => {
  desk = await startTestDesk()
})
afterAll(() => desk.close())

const CREATED = 'service-desk.ticket.created'
const UPDATED = 'service-desk.ticket.updated'
const comments = async (id: string) => (await desk.stack.get(`${REQUESTS}/${id}/comments`)).body.data

describe('the service desk', () => {
  it('[DSK-29] publishes a new request only when the request can be read', async () => {
    const received = desk.receive()
    let seen: Promise<unknown> | undefined
    desk.stack.bus().subscribe(CREATED, ({ fields }) => {
      seen = desk.read(String(fields.requestId))
    })
    const made = await desk.open({ description: 'long text', category: 'it' })
    const { id, description, ...rest } = made
    expect(received).toEqual([{ buildingId: desk.buildingId, name: CREATED, fields: { requestId: id, ...rest } }])
    expect(createBodyCheck(TicketEvent)(received[0]!.fields)).toEqual([])
    expect(await seen).toEqual(made)
  })

  it('[DSK-30] publishes changes of state, assignment and fields, with the names of the changed fields', async () => {
    const made = await desk.open()
    const received = desk.receive()
    await desk.patch(made.id, { assignedTeamId: 'team 1' })
    await desk.patch(made.id, { title: 'Other', priority: 'high' })
    await desk.stack.send('POST', `${REQUESTS}/${made.id}/transition`, { state: 'in_progress', comment: 'Now' })
    await desk.stack.send('POST', `${REQUESTS}/${made.id}/comments`, { text: 'Done soon' })
    const last = await desk.move(made.id, 'cancelled')
    // The comment publishes no event, because it changes neither the state nor the assignment nor a field.
    expect(received.map(({ name }) => name)).toEqual(Array(4).fill(UPDATED))
    expect(received.map(({ fields }) => fields.changed)).toEqual([
      ['state', 'assignedTeamId'],
      ['title', 'priority', 'dueAt'],
      ['state'],
      ['state'],
    ])
    for (const { fields } of received) expect(createBodyCheck(TicketEvent)(fields)).toEqual([])
    const { id, description, ...rest } = last
    expect(received.at(-1)!.fields).toEqual({ requestId: id, ...rest, changed: ['state'] })
  })

  it('publishes nothing for a refused change, or for an edit that changes nothing', async () => {
    const made = await desk.open()
    const received = desk.receive()
    await desk.stack.send('POST', `${REQUESTS}/${made.id}/transition`, { state: 'closed' })
    await desk.patch(made.id, { spaceId: NOBODY })
    await desk.patch(made.id, { title: made.title })
    await desk.stack.send('POST', REQUESTS, { buildingId: NOBODY, title: 'x' })
    expect(received).toEqual([])
  })

  it('[EVT-08] publishes to the bus only, and neither to webhooks nor to the live channel', async () => {
    const { stack, buildingId } = desk
    const desks = INTERNAL_EVENTS.filter((name) => /^(service-desk|cafm)\./.test(name))
    expect(desks).toHaveLength(7)
    for (const name of desks) {
      const body = { url: 'http://127.0.0.1:9/', events: [name] }
      expect(await stack.send('POST', '/api/v1/webhooks', body)).toMatchObject({
        status: 400,
        body: { code: 'UNKNOWN_EVENT' },
      })
      expect(LIVE_EVENTS).not.toContain(name)
    }
    await stack.send('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/', events: [...WEBHOOK_EVENTS] })
    const socket = await connected(liveClient(await stack.listen(), { auth: { token: await sandboxToken() } }))
    expect(await socket.emitWithAck('join', { buildingId })).toMatchObject({ ok: true })
    const outside = receivedBy(socket)
    const inside = desk.receive()
    const made = await desk.open()
    await desk.move(made.id, 'assigned')
    stack.bus().publish(buildingId, 'cafm.work-order.created', () => ({ workOrderId: 'WO-8', requestId: made.id }))
    await stack.serviceDesk().idle()
    expect(inside.map(({ name }) => name)).toEqual([CREATED, UPDATED, 'cafm.work-order.created', UPDATED])
    stack.bus().publish(buildingId, 'wifi-sensing.event', () => ({ buildingId }))
    await expect.poll(() => outside.length).toBe(1)
    expect(outside[0]!.name).toBe('wifi-sensing.event')
    expect(await stack.db.row(sql`select count(*) as published from outbound_events`)).toEqual({ published: 0 })
    socket.disconnect()
  })
})

describe('work orders', () => {
  const publishWorkOrder = async (what: string, fields: Record<string, unknown>, buildingId = desk.buildingId) => {
    desk.stack.bus().publish(buildingId, `cafm.work-order.${what}` as 'cafm.work-order.created', () => fields)
    await desk.stack.serviceDesk().idle()
  }

  it('[DSK-33] are linked once to their request, by its id or number', async () => {
    const made = await desk.open()
    const received = desk.receive()
    await publishWorkOrder('created', { workOrderId: 'WO-1', requestId: made.id, supplier: 'Acme' })
    const linked = await desk.read(made.id)
    expect(linked).toMatchObject({ workOrderIds: ['WO-1'], state: 'new' })
    expect(linked.updatedAt > made.updatedAt).toBe(true)
    await publishWorkOrder('updated', { workOrderId: 'WO-1', requestId: made.id.toUpperCase() })
    expect(await desk.read(made.id)).toEqual(linked)
    await publishWorkOrder('updated', { workOrderId: 'WO-2', requestNumber: made.number })
    await publishWorkOrder('updated', {
      workOrderId: 'WO-3',
      requestId: null,
      requestNumber: made.number.toLowerCase(),
    })
    expect((await desk.read(made.id)).workOrderIds).toEqual(['WO-1', 'WO-2', 'WO-3'])
    expect(received.filter(({ name }) => name === UPDATED).map(({ fields }) => fields.changed)).toEqual([
      ['workOrderIds'],
      ['workOrderIds'],
      ['workOrderIds'],
    ])
  })

  it('[DSK-33] add one comment when they are completed, even if the event is repeated', async () => {
    const made = await desk.open()
    await desk.move(made.id, 'in_progress')
    for (const _ of [1, 2]) await publishWorkOrder('completed', { workOrderId: 'WO-3', requestId: made.id })
    expect(await desk.read(made.id)).toMatchObject({ workOrderIds: ['WO-3'], state: 'in_progress' })
    expect(await comments(made.id)).toMatchObject([{ text: 'Work order WO-3 is completed.', author: 'cafm' }])
  })

  it('are ignored if they are of another building than the request', async () => {
    const made = await desk.open()
    await publishWorkOrder('created', { workOrderId: 'WO-4', requestId: made.id }, desk.stack.other.buildingId)
    expect(await desk.read(made.id)).toEqual(made)
  })

  it.each([
    {},
    { requestId: NOBODY, workOrderId: 'WO-5' },
    { requestNumber: 'SR-999999999999999', workOrderId: 'WO-5' },
    { workOrderId: 'WO-5' },
    { workOrderId: '', requestNumber: 'SR-000001' },
    { workOrderId: 'a\u0000b', requestNumber: 'SR-000001' },
    { workOrderId: 5, requestNumber: 'SR-000001' },
    { workOrderId: 'x'.repeat(201), requestNumber: 'SR-000001' },
    { workOrderId: 'WO-5', requestNumber: 'SR-1 or 1=1' },
    { workOrderId: 'WO-5', requestId: ['x'] },
    { workOrderId: 'WO-5', requestId: 'SR-000001', requestNumber: 'SR-000001' },
    { workOrderId: 'WO-5', requestId: null, requestNumber: null },
    { workOrderId: '\u200b', requestNumber: 'SR-000001' },
  ])('are ignored if they are invalid or name no request: %j', async (fields) => {
    const before = (await desk.list('?limit=200')).body
    await publishWorkOrder('completed', fields)
    expect((await desk.list('?limit=200')).body).toEqual(before)
  })

  it('are linked to a request up to a limit; only the first work order beyond the limit is logged', async () => {
    const { db } = desk.stack
    const made = await desk.open()
    const bus = createBus(silentLog)
    const warned: unknown[] = []
    const log: Log = Object.assign(Object.create(silentLog), { warn: (what: unknown) => warned.push(what) })
    const other = createServiceDesk({ db, clock: desk.clock, bus, log })
    const link = async (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        bus.publish(desk.buildingId, 'cafm.work-order.created', () => ({ workOrderId: `${i}`, requestId: made.id }))
      }
      await other.idle()
    }
    await link(0, 100)
    expect(warned).toEqual([])
    await link(98, 105)
    expect((await desk.read(made.id)).workOrderIds).toHaveLength(100)
    expect(warned).toEqual([{ requestId: made.id, workOrderId: '100', max: 100 }])
    await other.close()
  })
})
