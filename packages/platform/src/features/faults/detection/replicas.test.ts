import { sql, withDatabaseName } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { createStack, type Stack } from '../../../create-stack.ts'
import { type SmallNats, startSmallNats } from '../../../testing/small-nats.ts'
import { serveConfig } from '../../../testing/test-stack.ts'
import { sandboxToken } from '../../../testing/tokens.ts'
import { type FaultsApi, startFaultsApi } from '../testing/faults-api.ts'

let nats: SmallNats
let api: FaultsApi
let replica: Stack
const folder = temporaryFolder('storey-replica')

beforeAll(async () => {
  nats = await startSmallNats()
  api = await startFaultsApi({}, { natsUrls: [nats.url] })
  await api.deleteRules()
  const name = await api.stack.db.row<{ name: string }>(sql`select current_database() as name`)
  const url = withDatabaseName(inject('postgresUrl'), name!.name)
  replica = await createStack(serveConfig(url, { natsUrls: [nats.url] }), silentLog, { folder, clock: api.clock })
  await replica.faults.idle()
  // Each of the two processes has subscribed to each of the two buildings.
  await vi.waitFor(() => expect(nats.subjects()).toHaveLength(4))
})
afterAll(async () => {
  await replica.close()
  await api.stack.close()
  await nats.close()
})

async function observeAtReplica(pointId: string, value: string): Promise<void> {
  const answer = await replica.http.inject({
    method: 'POST',
    url: `${api.path}/telemetry/observations`,
    headers: { authorization: `Bearer ${await sandboxToken()}` },
    payload: { observations: [{ pointId, value, timestamp: api.clock.now().toISOString() }] },
  })
  expect(answer.statusCode).toBe(202)
}
const faults = async () => (await api.faults()).map(({ state, value }) => [state, value])

describe('two processes of one sandbox', () => {
  it('detect a fault in an observation that one process receives, even if so far only the other process has loaded the rule', async () => {
    const [number, word] = [await api.newPoint(), api.point('.ALM')]
    await api.rule({ kind: 'threshold', pointId: number.id, above: 30 })
    await observeAtReplica(number.id, '31.50')
    await expect.poll(faults).toEqual([['open', '31.5']])
    await api.rule({ kind: 'alarm', pointId: word.id })
    api.pass(1)
    await observeAtReplica(word.id, 'ON')
    await expect.poll(faults).toEqual([
      ['open', 'ON'],
      ['open', '31.5'],
    ])
  })

  it('[FLT-06] open one fault for what both detect, publish it once, and resolve it', async () => {
    const observed: unknown[] = []
    for (const bus of [api.stack.bus(), replica.bus]) {
      bus.subscribe('building.fault.created', ({ fields }) => {
        // Events of the preceding test may still arrive over NATS.
        if (fields.severity === 'info') observed.push(fields)
      })
    }
    const points = [await api.newPoint(), await api.newPoint(), await api.newPoint()]
    await api.rule({ kind: 'threshold', severity: 'info', quantityKind: 'Temperature', above: 90 })
    await replica.faults.check()
    api.pass(1)
    for (const { id } of points) await observeAtReplica(id, '99')
    const open = () => api.faults('?severity=info&state=open')
    await expect.poll(async () => (await open()).length).toBe(3)
    await Promise.all([api.stack.faults().idle(), replica.faults.idle()])
    expect(await open()).toHaveLength(3)
    // Each of the two buses receives the three events: one bus directly, the other bus over NATS.
    await expect.poll(() => observed.length).toBe(6)
    api.pass(1)
    for (const { id } of points) await observeAtReplica(id, '20')
    await expect.poll(async () => (await open()).length).toBe(0)
    expect(await api.faults('?severity=info')).toHaveLength(3)
  })
})
