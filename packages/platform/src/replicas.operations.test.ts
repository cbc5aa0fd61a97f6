import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { movableClock } from '@storey/kit/clock'
import { sql, withDatabaseName } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { createStack, type Stack } from './create-stack.ts'
import { type SmallNats, startSmallNats } from './testing/small-nats.ts'
import { serveConfig, startTestStack } from './testing/test-stack.ts'
import { sandboxToken } from './testing/tokens.ts'

const HOUR_MS = 3_600_000
const NOW = new Date('2026-03-03T08:02:00.000Z')
const REPLICAS = 3

let nats: SmallNats
let token: string
beforeAll(async () => {
  nats = await startSmallNats()
  token = await sandboxToken({ exp: Math.floor(NOW.getTime() / 1000) + 10 * 365 * 86_400 })
})
afterAll(() => nats.close())

/** Starts a test stack and further stacks on its database. Each stack stands for one process of the same sandbox. */
async function startReplicas(clock?: ReturnType<typeof movableClock>) {
  const changes = { natsUrls: [nats.url], isShared: true }
  const first = await startTestStack(changes, clock ? { until: clock.now().toISOString() } : {}, clock)
  const name = await first.db.row<{ name: string }>(sql`select current_database() as name`)
  const url = withDatabaseName(inject('postgresUrl'), name!.name)
  const others: Stack[] = []
  for (let i = 1; i < REPLICAS; i++) {
    const parts = { folder: temporaryFolder('storey-replica'), ...(clock ? { clock } : {}) }
    others.push(await createStack(serveConfig(url, changes), silentLog, parts))
  }
  const send = async (index: number, path: string, body: object) => {
    if (index % REPLICAS === 0) return (await first.send('POST', path, body, `Bearer ${token}`)).status
    const stack = others[(index % REPLICAS) - 1]!
    const headers = { authorization: `Bearer ${token}` }
    return (await stack.http.inject({ method: 'POST', url: path, headers, payload: body })).statusCode
  }
  return {
    first,
    others,
    send,
    buses: () => [first.bus(), ...others.map(({ bus }) => bus)],
    async close() {
      for (const stack of others) await stack.close()
      await first.close()
    },
  }
}

describe('three processes of one stack', () => {
  it('[PLN-09] store, fold and deliver each observation once', async () => {
    const { first, others, send, close } = await startReplicas()
    const delivered: string[] = []
    const keys = new Set<string>()
    const receiver = createServer(async (request, response) => {
      const body = await buffer(request)
      keys.add(String(request.headers['x-svc-idempotency-key']))
      for (const { value } of JSON.parse(body.toString()).data.observations) delivered.push(value)
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    expect(await send(0, '/api/v1/webhooks', { url: hookUrl, events: ['building.point.updated'] })).toBe(201)
    const { buildingId } = first.seeded
    const base = `/api/v1/buildings/${buildingId}`
    const pointId = (await first.get(`${base}/points?limit=1`)).body.data[0].id as string
    const from = Date.now() - HOUR_MS
    const numbers = Array.from({ length: 90 }, (_, i) => i)
    const statuses = await Promise.all(
      numbers.map((n) => {
        const timestamp = new Date(from + n * 1_000).toISOString()
        return send(n, `${base}/telemetry/observations`, { observations: [{ pointId, value: `${n}`, timestamp }] })
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([202]))
    // All processes fold at the same time.
    await Promise.all([first.folded(), ...others.map(({ compaction }) => compaction.idle())])
    const range = `from=${new Date(from).toISOString()}&to=${new Date(from + HOUR_MS).toISOString()}`
    const { body } = await first.get(`${base}/telemetry/observations?pointId=${pointId}&${range}&limit=1000`)
    expect(body.data.map(({ value }: { value: string }) => Number(value))).toEqual(numbers)
    const inOrder = () => delivered.map(Number).toSorted((a, b) => a - b)
    await expect.poll(inOrder).toEqual(numbers)
    expect(keys.size).toBe(numbers.length)
    receiver.close()
    await close()
  })

  it('[PLN-09] publish an alert of the service desk once, whichever process notices it', async () => {
    const clock = movableClock(NOW)
    const { first, others, send, buses, close } = await startReplicas(clock)
    const alerts = buses().map((bus) => {
      const received: string[] = []
      for (const name of ['service-desk.ticket.sla_warning', 'service-desk.ticket.sla_breached'] as const)
        bus.subscribe(name, () => received.push(name.split('sla_')[1]!))
      return received
    })
    await vi.waitFor(() => expect(nats.subjects().length).toBeGreaterThan(0))
    const { buildingId } = first.seeded
    expect(await send(1, '/api/service-desk/requests', { buildingId, title: 'Leak', priority: 'critical' })).toBe(201)
    const idle = () => Promise.all([first.serviceDesk().idle(), ...others.map(({ serviceDesk }) => serviceDesk.idle())])
    for (const [hours, expected] of [
      [3.5, ['warning']],
      [4.5, ['warning', 'breached']],
    ] as const) {
      clock.set(new Date(NOW.getTime() + hours * HOUR_MS))
      await idle()
      await idle()
      // Each process receives each alert once, from itself or from another process.
      for (const received of alerts) await expect.poll(() => received).toEqual(expected)
    }
    // The processes report the same due work, so that it does not matter which of them reports last.
    const due = await Promise.all([
      first.serviceDesk().nextDue(),
      ...others.map((stack) => stack.serviceDesk.nextDue()),
    ])
    expect(new Set(due.map((at) => at?.getTime())).size).toBe(1)
    await close()
  })

  it('[PLN-09] simulate a building in one process at a time', async () => {
    const clock = movableClock(NOW)
    const { first, others, send, close } = await startReplicas(clock)
    const path = `/api/v1/buildings/${first.seeded.buildingId}/simulation`
    const seen = new Map<string, number>()
    first.bus().subscribe('building.point.updated', ({ fields }) => {
      for (const { pointId, timestamp } of (fields as { observations: { pointId: string; timestamp: string }[] })
        .observations)
        seen.set(`${pointId} ${timestamp}`, (seen.get(`${pointId} ${timestamp}`) ?? 0) + 1)
    })
    expect(await send(2, path, { running: true })).toBe(200)
    const simulators = [first.simulated, ...others.map(({ simulator }) => simulator.idle)]
    for (let minute = 0; minute < 20; minute++) {
      clock.advance(60_000)
      await Promise.all(simulators.map((idle) => idle()))
    }
    await expect.poll(() => seen.size).toBeGreaterThan(0)
    expect([...seen.values()].filter((times) => times > 1)).toEqual([])
    expect(await send(0, path, { running: false })).toBe(200)
    await close()
  })
})
