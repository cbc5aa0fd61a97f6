import { INTERNAL_EVENTS, WEBHOOK_EVENTS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connected, liveClient, receivedBy } from '../live/testing/test-live.ts'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { sandboxToken } from '../testing/tokens.ts'

const TICKETS = INTERNAL_EVENTS.filter((name) => name !== 'building.fault.created')

describe('events of tickets and work orders', () => {
  let stack: TestStack
  beforeAll(async () => {
    stack = await startTestStack()
  })
  afterAll(() => stack.close())

  it.each(TICKETS)('[EVT-08] include %s, to which a webhook cannot subscribe', async (name) => {
    const subscription = { url: 'http://127.0.0.1:9999/', events: [name] }
    const { status, body } = await stack.send('POST', '/api/v1/webhooks', subscription)
    expect([status, body.code]).toEqual([400, 'UNKNOWN_EVENT'])
  })

  it('[EVT-08] are sent to subscribers of the bus, and neither to sockets nor to webhooks', async () => {
    const { buildingId } = stack.seeded
    const subscription = { url: 'http://127.0.0.1:9999/', events: [...WEBHOOK_EVENTS] }
    expect((await stack.send('POST', '/api/v1/webhooks', subscription)).status).toBe(201)
    const socket = await connected(liveClient(await stack.listen(), { auth: { token: await sandboxToken() } }))
    expect(await socket.emitWithAck('join', buildingId)).toMatchObject({ ok: true })
    const received = receivedBy(socket)
    const onBus: string[] = []
    for (const name of TICKETS) stack.bus().subscribe(name, (event) => onBus.push(event.name))

    for (const name of TICKETS) stack.bus().publish(buildingId, name, () => ({ buildingId, ticketId: 't1' }))
    // This event is published last: once it has arrived, the events before it would have arrived too.
    const last = { buildingId, observations: [] }
    stack.bus().publish(buildingId, 'building.point.updated', () => last)
    await expect.poll(() => received.map(({ name }) => name)).toContain('building.point.updated')
    expect(received).toHaveLength(1)
    expect(onBus).toEqual(TICKETS)
    expect(await stack.db.rows(sql`select event from outbound_events`)).toEqual([])
    socket.disconnect()
  })
})
