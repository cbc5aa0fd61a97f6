import { INTERNAL_EVENTS, WEBHOOK_EVENTS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BusEvent } from '../../../bus/bus.ts'
import { type FaultsApi, startFaultsApi } from '../testing/faults-api.ts'

let api: FaultsApi
const received: BusEvent[] = []
beforeAll(async () => {
  api = await startFaultsApi()
  await api.deleteRules()
  for (const name of ['building.fault.created', 'building.alarm.triggered'] as const) {
    api.stack.bus().subscribe(name, (event) => received.push(event))
  }
})
afterAll(() => api.stack.close())

const subscribe = (events: string[]) =>
  api.stack.send('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/', events })

/** The events in the outbox, as webhook receivers get them. */
async function outbound() {
  const rows = await api.stack.db.rows<{ body: Buffer }>(sql`
    select e.body from outbound_events e where exists (select from webhook_deliveries d where d.event_id = e.id)`)
  return rows.map(({ body }) => JSON.parse(body.toString()))
}

describe('a new fault', () => {
  it('[FLT-05, EVT-04, EVT-06, EVT-07] is published on the bus as two events, and to webhooks as an alarm', async () => {
    expect((await subscribe(['building.alarm.triggered'])).status).toBe(201)
    const point = await api.newPoint({ name: 'Kitchen' })
    await api.rule({ kind: 'threshold', severity: 'critical', pointId: point.id, above: 30 })
    await api.observe([point, 31])
    const [fault] = await api.faults()
    const { id: faultId, buildingId, alarmId, title, elementId, detectedAt } = fault!
    const about = { buildingId, faultId, severity: 'critical', title, pointId: point.id, elementId }
    const alarm = { ...about, alarmId, value: '31', triggeredAt: detectedAt }
    expect(alarmId).not.toBe(faultId)
    expect(title).toMatch(/^Temperature above 30 °C: Kitchen, VAV box /)
    expect(received).toEqual([
      { buildingId, name: 'building.fault.created', fields: { ...about, detectedAt } },
      { buildingId, name: 'building.alarm.triggered', fields: alarm },
    ])
    expect(await outbound()).toEqual([{ event: 'building.alarm.triggered', data: alarm, timestamp: detectedAt }])

    received.length = 0
    await api.observe([point, 32])
    await api.observe([point, 20])
    expect(received).toEqual([])
    expect(await outbound()).toHaveLength(1)
  })

  it('[EVT-06] is not sent to webhooks as building.fault.created: a webhook for this event is refused', async () => {
    expect(WEBHOOK_EVENTS).not.toContain('building.fault.created')
    expect(INTERNAL_EVENTS).toContain('building.fault.created')
    expect(await subscribe(['building.fault.created'])).toMatchObject({ status: 400, body: { code: 'UNKNOWN_EVENT' } })
  })

  it('[FLT-05] is written together with its alarm, or not at all', async () => {
    const before = await outbound()
    await api.stack.db.run(
      sql`alter table outbound_events add constraint broken check (event <> 'building.alarm.triggered') not valid`,
    )
    const point = await api.newPoint()
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    received.length = 0
    await api.observe([point, 31])
    const found = async () => (await api.faults('?state=open')).filter(({ ruleId }) => ruleId === rule.id)
    expect(await found()).toEqual([])
    expect(received).toEqual([])
    await api.stack.db.run(sql`alter table outbound_events drop constraint broken`)
    await api.stack.faults().check()
    expect(await found()).toHaveLength(1)
    expect(received).toHaveLength(2)
    expect(await outbound()).toHaveLength(before.length + 1)
  })
})
