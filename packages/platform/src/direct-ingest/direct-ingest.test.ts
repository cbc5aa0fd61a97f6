import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { readMigrations, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { seedBuilding } from '../seed/seed-building.ts'
import { HOST, startDirectGateway, statusesIn } from '../testing/direct-clients.ts'
import { holdTable } from '../testing/hold-table.ts'
import { type StackProcess, startProcess } from '../testing/stack-process.ts'
import { seedRequest, serveConfig } from '../testing/test-stack.ts'
import { ORGANIZATION_ID, SANDBOX_ID, sandboxToken } from '../testing/tokens.ts'

let test: TestDatabase
let buildingId: string
let pointId: string
let token: string
beforeAll(async () => {
  test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  ;({ buildingId } = await seedBuilding(test.database, seedRequest(), () => undefined))
  ;({ id: pointId } = (await test.database.row<{ id: string }>(sql`select id from points order by id limit 1`))!)
  token = await sandboxToken()
})
afterAll(() => test.drop())

const stacks: StackProcess[] = []
afterEach(async () => {
  for (const { child, ended } of stacks.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
})

async function start(limits: { rateLimitPerMinute?: number } = {}, relays = true) {
  const stack = startProcess('serve', serveConfig(test.url, limits))
  stacks.push(stack)
  return { stack, gateway: await startDirectGateway(stack, relays) }
}

const TIME = Date.parse('2026-02-01T00:00:00Z')
let moment = 0
const observation = () => ({ pointId, value: '1', timestamp: new Date(TIME + ++moment * 1000).toISOString() })
const json = (...observations: object[]) => JSON.stringify({ observations })

interface Parts {
  path?: string
  type?: string
  host?: string
  authorization?: string
  /** Further header lines, each with its line ending. */
  lines?: string
  method?: string
  version?: string
}
function head(length: number, parts: Parts = {}): string {
  const { path = 'observations', type = 'application/json', host = HOST, authorization = `Bearer ${token}` } = parts
  const target = `/api/v1/buildings/${buildingId}/telemetry/${path}`
  return (
    `${parts.method ?? 'POST'} ${target} HTTP/${parts.version ?? '1.1'}\r\nHost: ${host}\r\n` +
    `Authorization: ${authorization}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${parts.lines ?? ''}\r\n`
  )
}
const post = (body: string, parts?: Parts) => head(Buffer.byteLength(body), parts) + body
const good = () => post(json(observation()))
const lines = (parts: Parts = {}) =>
  post(`${pointId} value=2 ${TIME + ++moment * 1000}\n`, {
    path: 'influx/write?precision=ms',
    type: 'text/plain',
    ...parts,
  })

const storedCount = async () =>
  Number((await test.database.row<{ n: string }>(sql`select coalesce(sum(count), 0) as n from observation_batches`))!.n)

describe('a transferred connection', () => {
  it('[DIR-01] is served by the stack itself, for each form of observations', async () => {
    const { stack, gateway } = await start()
    const client = await gateway.open()
    const forms = [
      good(),
      post(JSON.stringify(observation()), { type: 'application/x-ndjson' }),
      lines(),
      lines({ path: 'influx/api/v2/write?bucket=b&org=o&precision=ms', authorization: `Token ${token}` }),
      post(json(observation(), observation()), { type: 'application/json; charset=utf-8' }),
    ]
    for (const [i, bytes] of forms.entries()) {
      client.socket.write(bytes)
      await client.answers(i + 1)
    }
    expect(statusesIn(client.received())).toEqual([202, 202, 204, 204, 202])
    await expect.poll(() => gateway.served.length).toBe(5)
    expect(gateway.returned).toEqual([])
    expect(gateway.served[0]).toMatchObject({
      connection: 1,
      requestId: expect.stringMatching(/^req_[\da-f]{32}$/),
      target: `/api/v1/buildings/${buildingId}/telemetry/observations`,
      route: '/api/v1/buildings/:buildingId/telemetry/observations',
      caller: `sandbox ${SANDBOX_ID}`,
      status: 202,
    })
    expect(client.received()).toContain(gateway.served[0]!.requestId)
    client.socket.destroy()
    await stack.waitFor('ended')
  })

  it('[DIR-02] goes back with the bytes of a request that is unusual or refused, from its first byte on', async () => {
    const { gateway } = await start()
    const body = json(observation())
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const unusual = {
      'another host': post(body, { host: 'b.localhost' }),
      'another method': head(0, { method: 'GET' }),
      'another version': post(body, { version: '1.0' }),
      'another path': post(body, { path: 'observations/x' }),
      'a query': post(body, { path: 'observations?a=b' }),
      'another type': post(body, { type: 'text/csv' }),
      'no credential': post(body).replace(/Authorization: .*\r\n/, ''),
      'a wrong credential': post(body, { authorization: 'Bearer abc' }),
      'Token at REST': post(body, { authorization: `Token ${token}` }),
      chunks: head(0, { lines: 'Transfer-Encoding: chunked\r\n' }).replace(/Content-Length: .*\r\n/, '') + chunked,
      'chunks and a length': head(5, { lines: 'Transfer-Encoding: chunked\r\n' }) + chunked,
      'two lengths': head(body.length, { lines: `Content-Length: ${body.length}\r\n` }) + body,
      Expect: post(body, { lines: 'Expect: 100-continue\r\n' }),
      'an upgrade': post(body, { lines: 'Connection: Upgrade\r\nUpgrade: websocket\r\n' }),
      'Connection: close': post(body, { lines: 'Connection: close\r\n' }),
      'an origin': post(body, { lines: 'Origin: http://x\r\n' }),
      'an unknown header': post(body, { lines: 'X-Storey-Internal-Key: x\r\n' }),
      'a compressed body': head(gzipSync(body).length, { lines: 'Content-Encoding: gzip\r\n' }),
      'a folded header': post(body, { lines: 'Accept: a\r\n b\r\n' }),
      'a space before the colon': post(body, { lines: 'Accept : a\r\n' }),
      'a bare line feed': post(body, { lines: 'Accept: a\n' }),
      'a NUL': post(body, { lines: 'Accept: a\0\r\n' }),
      'an empty line before': `\r\n${post(body)}`,
      garbage: '\x16\x03\x01\x02\0\r\n\r\n',
      'a long head': post(body, { lines: `Accept: ${'a'.repeat(5000)}\r\n` }),
      'a pipelined request': good() + good(),
      'a large body': head(300_000) + 'x'.repeat(1000),
      'an unknown point': post(json({ ...observation(), pointId: buildingId })),
      'a body that is not JSON': post('{'),
    }
    for (const [name, bytes] of Object.entries(unusual)) {
      const client = await gateway.open()
      client.socket.write(good())
      await client.answers(1)
      client.socket.write(bytes, 'latin1')
      await expect.poll(() => gateway.returned.length, { message: name }).toBe(1)
      await expect.poll(() => gateway.returned[0]!.toString('latin1').length, { message: name }).toBeGreaterThan(0)
      expect(bytes.startsWith(gateway.returned[0]!.toString('latin1')), name).toBe(true)
      gateway.returned.length = 0
      client.socket.destroy()
    }
  })

  it('[DIR-03] serves complete requests, and returns all remaining bytes unchanged, whatever the client sends', async () => {
    const { gateway } = await start({}, false)
    const body = json(observation())
    const request = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(good(), lines(), post(json(...Array.from({ length: 1500 }, observation)))),
      },
      fc.constantFrom(
        post('{'),
        post(body, { authorization: 'Bearer abc' }),
        post(body, { lines: 'Expect: 100-continue\r\n' }),
        post(body, { version: '1.0' }),
        post(body, { lines: 'Accept: a\n' }),
        post(body, { lines: 'Content-Length: 1\r\n' }),
        `${head(10)}short`,
        good().slice(0, 200),
        'garbage\r\n\r\n',
      ),
      fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }),
    )
    const traffic = fc.record({
      requests: fc.array(request, { minLength: 1, maxLength: 4 }),
      cuts: fc.array(fc.nat(3000), { maxLength: 6 }),
      pipelined: fc.boolean(),
    })
    let served = 0
    await fc.assert(
      fc.asyncProperty(traffic, async ({ requests, cuts, pipelined }) => {
        gateway.returned.length = 0
        const client = await gateway.open()
        const bytes = requests.join('')
        if (pipelined) {
          const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
          await client.exchange(places.slice(1).map((end, i) => bytes.slice(places[i], end)))
        } else {
          for (const [i, one] of requests.entries()) {
            client.socket.write(one, 'latin1')
            await client.answers(i + 1, () => gateway.returned.length > 0)
          }
          await client.exchange([])
        }
        const count = statusesIn(client.received()).length
        const rest = gateway.returned.map((read) => read.toString('latin1')).join('')
        expect(requests.slice(0, count).join('') + rest).toBe(bytes)
        served += count
      }),
      { numRuns: 60 },
    )
    expect(served).toBeGreaterThan(10)
  })

  it('[DIR-04] is read in pieces of any size', async () => {
    const { gateway } = await start()
    const client = await gateway.open()
    for (const byte of good()) {
      client.socket.write(byte)
      await new Promise(setImmediate)
    }
    await client.answers(1)
    const whole = good()
    client.socket.write(whole.slice(0, -1))
    await sleep(100)
    client.socket.write(whole.slice(-1))
    expect(statusesIn(await client.answers(2))).toEqual([202, 202])
    expect(gateway.returned).toEqual([])
    client.socket.destroy()
  })

  it('[DIR-05] goes back when it is idle, or when a request stops arriving', async () => {
    const { gateway } = await start()
    const [idle, slow] = [await gateway.open(), await gateway.open()]
    idle.socket.write(good())
    await idle.answers(1)
    const bytes = good()
    slow.socket.write(bytes.slice(0, -20))
    await expect.poll(() => gateway.returned.length, { timeout: 10_000 }).toBe(2)
    expect(gateway.returned.map(String).sort()).toEqual(['', bytes.slice(0, -20)])
    slow.socket.write(bytes.slice(-20))
    idle.socket.write(good())
    expect(await slow.answers(1)).toMatch(/^HTTP\/1\.1 202 /)
    await idle.answers(2)
    for (const { socket } of [idle, slow]) socket.destroy()
  })

  it('[DIR-06] ends when its client disconnects, and nothing of an incomplete request is stored', async () => {
    const { stack, gateway } = await start()
    const client = await gateway.open()
    client.socket.write(good().slice(0, -5))
    await sleep(50)
    const before = await storedCount()
    client.socket.resetAndDestroy()
    await stack.waitFor('ended')
    // Folding may have removed batches meanwhile.
    expect(await storedCount()).toBeLessThanOrEqual(before)
    const next = await gateway.open()
    next.socket.write(good())
    expect(await next.answers(1)).toMatch(/^HTTP\/1\.1 202 /)
    next.socket.destroy()
  })

  it('[DIR-07] goes back with the next request after a revocation, and for a token of another tenant or building', async () => {
    const { stack, gateway } = await start()
    const tokens = [
      await sandboxToken({ tenant_id: 'org_other' }),
      await sandboxToken({ realm_access: { roles: [] }, building_ids: [ORGANIZATION_ID] }),
    ]
    for (const other of tokens) {
      const client = await gateway.open()
      client.socket.write(post(json(observation()), { authorization: `Bearer ${other}` }))
      expect(await client.answers(1)).toMatch(/^HTTP\/1\.1 403 /)
      client.socket.destroy()
    }
    const client = await gateway.open()
    client.socket.write(good())
    await client.answers(1)
    stack.child.send({ type: 'revoked', issuer: 'http://localhost:4000', subject: SANDBOX_ID })
    await sleep(50)
    client.socket.write(good())
    expect(statusesIn(await client.answers(2))).toEqual([202, 401])
    expect(gateway.returned.length).toBe(3)
    client.socket.destroy()
  })

  it('[DIR-08] shares the rate limits with other connections, and each request is counted once', async () => {
    const { gateway } = await start({ rateLimitPerMinute: 5 })
    const [direct, normal] = [await gateway.open(), await gateway.open('normal')]
    const left: string[] = []
    for (let i = 1; i <= 3; i++) {
      for (const client of [direct, normal]) {
        client.socket.write(good())
        left.push(/"caller";r=(\d+)/.exec((await client.answers(i)).split('HTTP/1.1 ').at(-1)!)![1]!)
      }
    }
    expect(left).toEqual(['4', '3', '2', '1', '0', '0'])
    expect(normal.received()).toContain('HTTP/1.1 429 ')
    direct.socket.write(good())
    expect(await direct.answers(4)).toContain('HTTP/1.1 429 ')
    for (const { socket } of [direct, normal]) socket.destroy()
  })

  it('[DIR-09] goes back when the stack stops, after its request is answered, and is closed when the stack is killed', async () => {
    const { stack, gateway } = await start()
    const [idle, busy] = [await gateway.open(), await gateway.open()]
    idle.socket.write(good())
    await idle.answers(1)
    const held = await holdTable(test.database, 'observation_batches')
    busy.socket.write(good())
    await sleep(200)
    stack.child.send({ type: 'stop' })
    await expect.poll(() => gateway.returned.length).toBe(1)
    await held.release()
    expect(await busy.answers(1)).toMatch(/^HTTP\/1\.1 202 /)
    await stack.ended
    await expect.poll(() => gateway.returned.map(String)).toEqual(['', ''])

    const second = await start()
    const client = await second.gateway.open()
    client.socket.write(good())
    await client.answers(1)
    second.stack.child.kill('SIGKILL')
    await once(client.socket, 'end')
  })

  it('[DIR-10] goes back on request of the gateway', async () => {
    const { stack, gateway } = await start()
    const client = await gateway.open()
    client.socket.write(good())
    await client.answers(1)
    stack.child.send({ type: 'return' })
    await expect.poll(() => gateway.returned.map(String)).toEqual([''])
    client.socket.write(good())
    await client.answers(2)
    client.socket.destroy()
  })
})
