import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { resolveSpec } from '@storey/building'
import { POINT_TYPES } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FaultsApi, startFaultsApi, type TestPoint } from '../testing/faults-api.ts'

let api: FaultsApi
const received: string[] = []
const receiver = createServer(async (request, response) => {
  const { data } = (await json(request)) as { data: { pointId: string } }
  received.push(data.pointId)
  response.end()
})
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  api = await startFaultsApi({ building: resolveSpec({ seed: 'many', storeys: 12 }) })
  await api.deleteRules()
})
afterAll(async () => {
  await api.stack.close()
  receiver.close()
})

describe('a thousand points in one batch', () => {
  it('[FLT-04, FLT-05, FLT-06] cause a thousand faults; each is published once, and one batch resolves all of them', async () => {
    const { port } = receiver.address() as AddressInfo
    const webhook = { url: `http://127.0.0.1:${port}/`, events: ['building.alarm.triggered'] }
    expect((await api.stack.send('POST', '/api/v1/webhooks', webhook)).status).toBe(201)
    for (const pointType of POINT_TYPES) await api.rule({ kind: 'threshold', pointType, above: 1e9 })
    expect(api.points).toHaveLength(1000)
    const observed: unknown[] = []
    api.stack.bus().subscribe('building.fault.created', ({ fields }) => observed.push(fields.pointId))
    const all = (value: number) => api.points.map((point): [TestPoint, number] => [point, value])
    await api.observe(...all(2e9), ...all(3e9))
    const total = async (state: string) => (await api.stack.get(`${api.path}/faults?state=${state}&limit=1`)).body.total
    expect(await total('open')).toBe(1000)
    expect(new Set(observed)).toEqual(new Set(api.points.map(({ id }) => id)))
    expect(observed).toHaveLength(1000)
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1000)
    expect(new Set(received)).toEqual(new Set(observed))
    api.pass(1)
    await api.observe(...all(0))
    expect(await total('resolved')).toBe(1000)
    expect([observed.length, received.length]).toEqual([1000, 1000])
  })
})
