import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRawSocket, type RawSocket } from '../../attacks/raw-socket.ts'
import { childrenOf } from '../../bench/processes.ts'
import { SMALL } from '../system/actors.ts'
import { call } from '../system/call.ts'
import { untilOwnedBy } from '../system/connection-owner.ts'
import { actorsAt } from '../system/shared.ts'
import { type System, startSystem } from '../system/system.ts'

/** More than the 16 requests in a row after which a client counts as busy. */
const MANY = 20
const ADDRESS = '127.0.0.7'
const TIME = Date.parse('2026-02-01T00:00:00Z')

describe('ingest over the connection of a busy client', () => {
  const accessLog = join(temporaryFolder('storey-access-log'), 'access.log')
  let system: System
  // biome-ignore lint/suspicious/noExplicitAny: records as a client sees them
  let connection: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let record: any
  let key: string
  let base: URL
  let pointId: string
  let sent = 0
  beforeAll(async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '100000', SANDBOX_RATE_LIMIT_PER_MINUTE: '100000', ACCESS_LOG: accessLog }
    system = await startSystem({ env })
    const { operator, newSandbox } = actorsAt(system)
    key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    ;({ record, connection } = await newSandbox(key, SMALL))
    base = new URL(`${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`)
    const { json } = await call(`${base}/points?limit=1`, { token: connection.token })
    pointId = json.data[0].id
  })
  afterAll(() => system.remove())

  const observation = () => ({ pointId, value: String(++sent), timestamp: new Date(TIME + sent * 1000).toISOString() })
  const body = (count = 1) => JSON.stringify({ observations: Array.from({ length: count }, observation) })
  function post(text: string, lines = '', path = 'observations'): string {
    return (
      `POST ${base.pathname}/telemetry/${path} HTTP/1.1\r\nHost: ${base.host}\r\n` +
      `Authorization: Bearer ${connection.token}\r\nContent-Type: application/json\r\n${lines}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    )
  }
  const last = () => `GET ${base.pathname} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: close\r\n\r\n`

  async function ask(client: RawSocket, bytes: string): Promise<string> {
    const before = client.received().length
    client.write(bytes)
    const received = await client.until((text) => /\r\n\r\n/.test(text.slice(before)), 30_000)
    return received.slice(before)
  }
  const open = () => openRawSocket(Number(base.port), ADDRESS)
  async function openBusy(): Promise<RawSocket> {
    const client = await open()
    for (let i = 0; i < MANY; i++) expect(await ask(client, post(body()))).toMatch(/^HTTP\/1\.1 202 /)
    return client
  }

  it('[DIR-19] is served by the stack, and is in the access log like any other request', async () => {
    const before = logged().length
    const client = await openBusy()
    await untilOwnedBy('stack', system.pid, client.socket)
    const answer = await ask(client, post(body(3)))
    expect(answer).toMatch(/^HTTP\/1\.1 202 /)
    await expect.poll(() => logged().length).toBe(before + MANY + 1)
    const [first, served] = [logged()[before], logged().at(-1)]
    const { time: _, durationMs: __, requestId, ...fields } = served
    expect(first).toMatchObject(fields)
    expect(answer).toContain(requestId)
    expect(await ask(client, `GET ${base.pathname} HTTP/1.1\r\nHost: ${base.host}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /)
    await untilOwnedBy('control plane', system.pid, client.socket)
    client.end()
  })

  it('[DIR-20] gets the same bytes in response as over any other connection', async () => {
    const requests = [
      post(body()),
      post(body(5)),
      post(`${pointId} value=1 ${TIME}\n`, '', 'influx/write?precision=ms').replace('application/json', 'text/plain'),
      post(body(3000)),
      post('{'),
      post(body().replaceAll(pointId, connection.buildingId)),
      post(body(), 'Expect: 100-continue\r\n'),
      post(body(), 'Content-Length: 3\r\n'),
      post(body(), 'Origin: http://localhost:3000\r\n'),
      post(body(), 'Accept : x\r\n'),
      post(body(), '', 'observations?a=b'),
      post(body()).replace(connection.token, 'abc'),
      post(body()).replace(base.host, `other-${base.host}`),
      post(body()).replace('HTTP/1.1', 'HTTP/1.0'),
      post('').replace(/Content-Length.*\r\n\r\n/, 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n'),
      'garbage\r\n\r\n',
    ]
    const traffic = fc.record({
      list: fc.array(fc.nat(requests.length - 1), { minLength: 1, maxLength: 4 }),
      cuts: fc.array(fc.nat(2000), { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(traffic, async ({ list, cuts }) => {
        const bytes = list.map((i) => requests[i]).join('') + last()
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const answers = []
        for (const client of [await openBusy(), await open()]) {
          const before = client.received().length
          for (const [i, from] of places.slice(0, -1).entries()) {
            client.write(bytes.slice(from, places[i + 1]))
            await new Promise((resolve) => setTimeout(resolve, 2))
          }
          await client.closed
          answers.push(masked(client.received().subarray(before).toString('latin1')))
        }
        expect(answers[0]).toBe(answers[1])
      }),
      { numRuns: 25 },
    )
  })

  it('[DIR-21] ends when the stack is killed, and works again on another connection', async () => {
    const client = await openBusy()
    await untilOwnedBy('stack', system.pid, client.socket)
    for (const pid of childrenOf(system.pid, 'serve')) process.kill(pid, 'SIGKILL')
    await client.closed
    const isUp = async () => (await call(`${base}`, { token: connection.token })).status
    await expect.poll(isUp, { timeout: 30_000 }).toBe(200)
    const next = await openBusy()
    await untilOwnedBy('stack', system.pid, next.socket)
    expect(await ask(next, post(body()))).toMatch(/^HTTP\/1\.1 202 /)
    next.end()
  })

  it('[DIR-22] acknowledges no value after the response to a reset, because the reset would delete it', async () => {
    const clients = [await openBusy(), await openBusy()]
    for (const client of clients) await untilOwnedBy('stack', system.pid, client.socket)
    const { status } = await call(`${system.url}/api/v1/sandboxes/${record.sandboxId}/reset`, {
      method: 'POST',
      token: key,
    })
    expect(status).toBe(202)
    for (const client of clients) expect(await ask(client, post(body()))).toMatch(/^HTTP\/1\.1 503 /)
    for (const client of clients) client.end()
  })

  // biome-ignore lint/suspicious/noExplicitAny: lines of the access log
  const logged = (): any[] =>
    readFileSync(accessLog, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"client":"${ADDRESS}"`))
      .map((line) => JSON.parse(line))
})

/** The text of a response, without the parts that differ each time. */
const masked = (text: string): string =>
  text
    .replace(/date: .*/gi, 'date')
    .replace(/req_[\da-f]{32}/g, 'req')
    .replace(/;r=\d+;t=\d+/g, ';r;t')
