import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { SIGNED_IN_HEADER } from '@storey/contract'
import type { ObservedRequest } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { afterEach, describe, expect, it } from 'vitest'
import { createConnectionTransfer, type DirectIngestTransfer } from '../stacks/transfer-connection.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts'

let test: TestGateway
let child: ChildProcess
let directIngest: DirectIngestTransfer
afterEach(async () => {
  child.kill('SIGKILL')
  await test.close()
})

const signedIn = () => ({ status: 202, headers: { [SIGNED_IN_HEADER]: 'account ann' } })

async function start(options: TestGatewayOptions = {}): Promise<void> {
  child = fork(new URL('../testing/direct-stack.ts', import.meta.url), { execArgv: ['--conditions=source'] })
  const ended = once(child, 'exit').then(() => undefined)
  ;({ directIngest } = createConnectionTransfer(child, ended, silentLog))
  test = await startTestGateway({ answer: signedIn, directIngest, ...options })
}

const PATH = '/api/v1/buildings/01234567-89ab-cdef-0123-456789abcdef/telemetry/observations'
const post = (parts: { host?: string; path?: string; lines?: string; body?: string } = {}) => {
  const { host = 'a.localhost', path = PATH, lines = '', body = 'observations' } = parts
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer x\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`
}
/** A client is busy after this many requests in a row. */
const MANY = 16

type Client = Awaited<ReturnType<TestGateway['connect']>>
const countOf = (text: string, mark: string) => text.split(mark).length - 1
async function send(client: Client, bytes: string): Promise<string> {
  const before = client.received().length
  client.write(bytes)
  return (await client.until((text) => /\r\n\r\n/.test(text.slice(before)))).slice(before)
}
async function sendMany(client: Client, bytes: string | (() => string), count = MANY): Promise<void> {
  for (let i = 0; i < count; i++) await send(client, typeof bytes === 'string' ? bytes : bytes())
}
/** A client whose connection was transferred. */
async function busyClient(from?: string): Promise<Client> {
  const client = await test.connect(from)
  await sendMany(client, post())
  await expect.poll(() => test.using.now).toBe(1)
  return client
}

describe('the connection of a busy ingest client', () => {
  it('[DIR-11] is transferred to its stack, and taken back with the bytes of a request for the gateway', async () => {
    await start()
    const client = await busyClient()
    const seen = test.stack.seen.length
    expect(seen).toBe(MANY)
    expect(await send(client, post())).toContain('x-served: directly')
    expect(test.stack.seen.length).toBe(seen)
    const body = `back ${'x'.repeat(200_000)}`
    const answer = await send(client, post({ body }))
    expect(answer).not.toContain('directly')
    expect(test.stack.seen.at(-1)!.body).toBe(body)
    expect(test.using.now).toBe(0)
    // After a request for the gateway, a connection is transferred again only after twice as many requests in a row.
    await sendMany(client, post(), MANY)
    expect(countOf(client.received(), 'directly')).toBe(1)
    await sendMany(client, post(), MANY)
    await expect.poll(() => test.using.now).toBe(1)
    client.socket.destroy()
    await expect.poll(() => test.using.now).toBe(0)
  })

  it('[DIR-12] stays at the gateway if anything other than plain ingest requests arrives on it', async () => {
    await start()
    let count = 0
    const others: Record<string, (() => string) | string> = {
      'another host each time': () => post({ host: `${count++ % 2 === 0 ? 'a' : 'b'}.localhost` }),
      'another host at first': () => post({ host: `${count++ === 0 ? 'b' : 'a'}.localhost` }),
      'a proxy that is not configured': post({ lines: 'Via: 1.1 proxy\r\n' }),
      'a path address': post({ host: 'localhost', path: `/s/a${PATH}` }),
      'another route': post({ path: PATH.replace('observations', 'other') }),
      chunks: post({ lines: 'Transfer-Encoding: chunked\r\n', body: '' }).replace(
        /Content-Length: 0\r\n\r\n/,
        '\r\n0\r\n\r\n',
      ),
      'large bodies': post({ body: 'x'.repeat(300_000) }),
      'a read between': () => (count++ % 10 === 0 ? `GET ${PATH} HTTP/1.1\r\nHost: a.localhost\r\n\r\n` : post()),
    }
    for (const [name, bytes] of Object.entries(others)) {
      count = 0
      const client = await test.connect()
      await sendMany(client, bytes, MANY + 3)
      expect(client.received(), name).not.toContain('directly')
      client.socket.destroy()
    }
    expect(test.using.now).toBe(0)
  })

  it('[DIR-12] stays at the gateway if its requests are refused or not signed in, or if it comes from a trusted proxy', async () => {
    for (const options of [
      { answer: () => ({ status: 202 }) },
      { answer: () => ({ ...signedIn(), status: 400 }) },
      { trustedProxies: ['127.0.0.1'] },
    ] satisfies TestGatewayOptions[]) {
      await start(options)
      const client = await test.connect()
      await sendMany(client, post(), MANY + 3)
      expect(client.received()).not.toContain('directly')
      child.kill('SIGKILL')
      await test.close()
    }
    await start()
  })

  it('[DIR-22] is taken back when the stack may no longer serve connections, and then stays at the gateway', async () => {
    await start()
    const client = await busyClient()
    await directIngest.close()
    expect(test.using.now).toBe(0)
    await sendMany(client, post(), MANY + 3)
    expect(client.received()).not.toContain('directly')
    expect(test.using.now).toBe(0)
    client.socket.destroy()
  })

  it('[DIR-13] loses no byte of a request that begins before the response to the previous request', async () => {
    await start()
    const client = await test.connect()
    const [first, rest] = [post().slice(0, 10), post().slice(10)]
    await sendMany(client, post(), MANY - 1)
    await send(client, post() + first)
    await sleep(50)
    await send(client, rest)
    expect(test.stack.seen.length).toBe(MANY + 1)
    await sendMany(client, post(), 2)
    expect(new Set(test.stack.seen.map(({ body }) => body))).toEqual(new Set(['observations']))
    client.socket.destroy()
  })

  it('[DIR-14] counts towards the connection limits while its stack serves it', async () => {
    await start({ limits: { total: 10, perAddress: 1 } })
    const client = await busyClient()
    const other = await test.connect()
    await other.closed
    expect(await send(client, post())).toContain('directly')
    client.socket.destroy()
    await expect.poll(() => test.using.now).toBe(0)
    const next = await test.connect()
    expect(await send(next, post())).toContain('202')
    next.socket.destroy()
  })

  it('[DIR-15] has its requests reported to the observers, unless the report of the stack is invalid', async () => {
    const observed: ObservedRequest[] = []
    await start({ observers: [{ end: (request) => void observed.push(request) }] })
    const client = await busyClient('127.0.0.5')
    await send(client, post())
    await expect.poll(() => observed.length).toBe(MANY + 1)
    const { request, ...last } = observed.at(-1)!
    expect(request.method).toBe('POST')
    expect(last).toMatchObject({
      ...{ part: 'stack', sandboxId: 'sbx_test', clientAddress: '127.0.0.5', status: 202, bytes: 60, durationMs: 3 },
      ...{ route: '/api/v1/buildings/:buildingId/telemetry/observations', caller: { kind: 'account', id: 'ann' } },
    })
    for (const body of ['wrong', 'malformed']) await send(client, post({ body }))
    await send(client, post())
    await expect.poll(() => observed.length).toBe(MANY + 2)
    client.socket.destroy()
  })

  it('[DIR-16] that has returned to the gateway may be idle for as long as any other connection', async () => {
    await start({ headLimitMs: 300 })
    const client = await busyClient()
    child.send({ type: 'return' })
    await expect.poll(() => test.using.now).toBe(0)
    await sleep(2_500)
    expect(await send(client, post())).toContain('202')
    client.socket.destroy()
  })

  it('[DIR-17] is taken back and ended when the gateway drains, and no connection is transferred any more', async () => {
    await start()
    const client = await busyClient()
    test.drain()
    await expect.poll(() => test.using.now).toBe(0)
    await client.closed
    const next = await test.connect()
    expect(await send(next, post())).toMatch(/connection: close/i)
    next.socket.destroy()
  })

  it('[DIR-18] is closed when its stack is killed, and a stack that reports nothing is stopped', async () => {
    await start({ responseTimeoutMs: 4_000 })
    const client = await busyClient()
    await sleep(4_500)
    expect(test.unresponsive).toEqual([])
    await send(client, post({ body: 'mute' }))
    await expect.poll(() => test.unresponsive[0], { timeout: 20_000 }).toBe('sbx_test')
    child.kill('SIGKILL')
    await client.closed
    await expect.poll(() => test.using.now).toBe(0)
  })
})
