import { LIMITS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../../testing/test-stack.ts'

let stack: TestStack
let base: string
let points: string[]
const AT = '2026-03-02T08:00:00.000Z'
beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry`
  points = stack.building.points.map(({ key }) => stack.idOf(key))
})
afterAll(() => stack.close())

const count = async (table: 'observation_batches' | 'outbound_events'): Promise<number> =>
  (await stack.db.row<{ count: number }>(
    table === 'outbound_events'
      ? sql`select count(*) from outbound_events`
      : sql`select coalesce(sum(count), 0) as count from observation_batches`,
  ))!.count
const observed = (length: number, textOf: (i: number) => string) =>
  Array.from({ length }, (_, i) => ({ pointId: points[1 + (i % 50)], value: textOf(i), timestamp: AT }))

describe('a body with many observations', () => {
  it('[OBS-26] is refused if it has more observations than a request may have', async () => {
    const before = await count('observation_batches')
    // With ids of points, a body of 10 MB cannot have as many observations, so the test uses a short external id.
    const path = `/api/v1/buildings/${stack.seeded.buildingId}/points/${points[0]}/external-ids`
    expect((await stack.send('POST', path, { sourceSystem: 'a', externalId: 'b' })).status).toBeLessThan(300)
    const write = (length: number) =>
      stack.send('POST', `${base}/influx/write`, 'a:b value=1\n'.repeat(length), undefined, {
        'content-type': 'text/plain',
      })
    const refused = await write(LIMITS.observation.perRequest + 1)
    expect(refused.body).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
    expect(refused.body.detail).toBe('The body has more than 262,144 observations: send them in several requests')
    expect(await count('observation_batches')).toBe(before)
    expect((await write(LIMITS.observation.perRequest)).status).toBe(204)
  })

  it('[OBS-27] queues all its events for webhooks with its observations, or nothing; a paused webhook gets one event', async () => {
    const subscribe = async () =>
      (await stack.send('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['building.point.updated'] }))
        .body.id as string
    const [active, paused] = [await subscribe(), await subscribe()]
    await stack.db.run(
      sql`update webhooks set status = 'paused', paused_by = 'failures', probe_at = now() - interval '1 day' where id = ${paused}`,
    )
    await stack.folded()
    const send = () => stack.send('POST', `${base}/observations`, { observations: observed(20_500, String) })
    await stack.db.run(sql`create function refuse() returns trigger language plpgsql as $$ begin
      if (select count(*) from outbound_events) > 15 then raise 'the disk is full' using errcode = '53100'; end if;
      return null; end $$`)
    await stack.db.run(sql`create trigger refuse after insert on outbound_events execute function refuse()`)
    expect((await send()).status).toBe(503)
    expect([await count('outbound_events'), await count('observation_batches')]).toEqual([0, 0])

    await stack.db.run(sql`drop trigger refuse on outbound_events`)
    expect((await send()).body).toEqual({ accepted: 20_500 })
    const bodies = await stack.db.rows<{ body: Buffer }>(sql`select body from outbound_events`)
    const sizes = bodies.map(({ body }) => JSON.parse(body.toString()).data.observations.length as number)
    expect(sizes.sort((a, b) => b - a)).toEqual([...Array.from({ length: 20 }, () => 1000), 500])
    const deliveries = await stack.db.rows(sql`
      select webhook_id as id, is_probe as "isProbe", count(*) from webhook_deliveries group by 1, 2 order by 2`)
    expect(deliveries).toEqual([
      { id: active, isProbe: false, count: 21 },
      { id: paused, isProbe: true, count: 1 },
    ])
  })

  it('[OBS-28] is published after earlier bodies and before later ones, so that the last event of a point has its last value', async () => {
    const values = new Map<string, string>()
    const { promise: isPublishing, resolve: begins } = Promise.withResolvers<void>()
    const stop = stack.bus().subscribe('building.point.updated', ({ fields }) => {
      const { observations } = fields as unknown as { observations: { pointId: string; value: string }[] }
      for (const { pointId, value } of observations) values.set(pointId, value)
      if (observations.length === LIMITS.observation.perEvent) begins()
    })
    const send = (observations: object[]) => stack.send('POST', `${base}/observations`, { observations })
    expect((await send(observed(50, () => 'earlier'))).status).toBe(202)
    const large = send(observed(60_000, String))
    // The large body is committed now, and most of its events are not published yet. Each later body has another point,
    // because bodies that are committed at the same time have no order.
    await isPublishing
    const small = Array.from({ length: 40 }, (_, i) =>
      send([{ pointId: points[1 + i], value: `text ${i}`, timestamp: AT }]),
    )
    for (const { status } of await Promise.all([large, ...small])) expect(status).toBe(202)
    stop()
    const latest: { pointId: string; value: string }[] = (await stack.get(`${base}/latest`)).body.data
    const last = new Map(latest.map(({ pointId, value }) => [pointId, value]))
    expect(values.size).toBe(50)
    expect([...values].map(([id]) => [id, last.get(id)])).toEqual([...values])
  })
})
