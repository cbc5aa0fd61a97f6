import { execFile } from 'node:child_process'
import { inspect, promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createConnections } from './connections.ts'
import { createOutbound, type Outbound, type OutboundRequest } from './index.ts'
import { httpServer, type Receiver, rawServer, startReceiver } from './testing/receiver.ts'

/** A public address that nobody uses: it belonged to the 6bone network, which has ended. */
const UNUSED_ADDRESS = '3ffe::1'

let local: Receiver
beforeEach(async () => {
  local = await startReceiver(httpServer())
})
afterEach(() => local.stop())

const post: OutboundRequest = {
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 10_000,
  maxBytes: 1_000,
}

/** A resolver that returns one answer after the other, and then repeats the last answer. */
function changing(...answers: string[][]) {
  let lookups = 0
  return {
    resolve: async () => answers[Math.min(lookups++, answers.length - 1)]!,
    lookups: () => lookups,
  }
}
const reasonOf = (sent: Promise<unknown>) =>
  sent.then(
    () => 'accepted',
    (err) => err.reason ?? err.message,
  )

describe('a name whose addresses change', () => {
  it('causes no connection to loopback: only the checked address is used', async () => {
    const names = changing([UNUSED_ADDRESS], ['127.0.0.1'])
    const outbound = createOutbound({ allowLocal: false, ...names })
    const err = await outbound
      .send(`https://receiver.test:${local.port}/`, { ...post, timeoutMs: 300 })
      .catch((reason) => reason)
    expect(err).toMatchObject({ name: 'OutboundFailed', progress: 'not_connected' })
    expect(names.lookups()).toBe(1)
    expect(local.connections).toEqual([])
    outbound.close()
  })

  it('is checked again for each request', async () => {
    const outbound = createOutbound({ allowLocal: false, ...changing([UNUSED_ADDRESS], ['127.0.0.1']) })
    const url = `https://receiver.test:${local.port}/`
    await outbound.check(url)
    expect(await reasonOf(outbound.send(url, post))).toBe('private_address')
    expect(local.connections).toEqual([])
    outbound.close()
  })

  it('is refused for one private address among public ones, in any position', async () => {
    for (const found of [
      [UNUSED_ADDRESS, '127.0.0.1'],
      ['127.0.0.1', UNUSED_ADDRESS],
    ]) {
      const outbound = createOutbound({ allowLocal: false, resolve: async () => found })
      expect(await reasonOf(outbound.send(`https://receiver.test:${local.port}/`, post))).toBe('private_address')
      outbound.close()
    }
    expect(local.connections).toEqual([])
  })

  it('is refused when its address has become private, even while a connection to its former address is open', async () => {
    const names = changing(['127.0.0.1'], ['10.0.0.1'])
    const outbound = createOutbound({ allowLocal: true, ...names })
    const url = `http://receiver.test:${local.port}/`
    expect((await outbound.send(url, post)).status).toBe(200)
    expect(names.lookups()).toBe(1)
    expect(await reasonOf(outbound.send(url, post))).toBe('private_address')
    expect(local.connections).toHaveLength(1)
    outbound.close()
  })

  it('is not requested over a connection to its former address', async () => {
    const other = await startReceiver(httpServer(), { host: '127.0.0.2', port: local.port })
    const outbound = createOutbound({ allowLocal: true, ...changing(['127.0.0.1'], ['127.0.0.2']) })
    await outbound.send(`http://receiver.test:${local.port}/`, post)
    await outbound.send(`http://receiver.test:${local.port}/`, post)
    expect([local.connections.length, other.connections.length]).toEqual([1, 1])
    outbound.close()
    await other.stop()
  })
})

describe('a destination', () => {
  it('is resolved for each request, and refused when its addresses are no longer allowed', async () => {
    const names = changing(['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['127.0.0.1'], ['10.0.0.1'])
    const outbound = createOutbound({ allowLocal: true, ...names })
    const to = outbound.to(`http://receiver.test:${local.port}/`)
    const results: unknown[] = []
    for (let i = 0; i < 6; i++) results.push(await reasonOf(outbound.send(to, post)))
    const refused = 'private_address'
    expect(results).toEqual(['accepted', 'accepted', refused, 'accepted', refused, refused])
    expect(names.lookups()).toBe(6)
    outbound.close()
  })

  it('is checked again if the resolver changes the list that it returned', async () => {
    const found = ['127.0.0.1']
    const outbound = createOutbound({ allowLocal: true, resolve: async () => found })
    const to = outbound.to(`http://receiver.test:${local.port}/`)
    expect(await reasonOf(outbound.send(to, post))).toBe('accepted')
    found[0] = '10.0.0.1'
    expect(await reasonOf(outbound.send(to, post))).toBe('private_address')
    outbound.close()
  })

  it('is checked by the rules of the sender that uses it', async () => {
    const [lenient, strict] = [true, false].map((allowLocal) => createOutbound({ allowLocal })) as [Outbound, Outbound]
    const to = lenient.to(`http://127.0.0.1:${local.port}/`)
    expect(await reasonOf(lenient.send(to, post))).toBe('accepted')
    expect(await reasonOf(strict.send(to, post))).toBe('not_https')
    for (const outbound of [lenient, strict]) outbound.close()
  })

  it('that is not valid is refused when something is sent', async () => {
    const outbound = createOutbound({ allowLocal: true })
    const to = outbound.to('not a url')
    for (let i = 0; i < 2; i++) expect(await reasonOf(outbound.send(to, post))).toBe('invalid_url')
    outbound.close()
  })
})

describe('a connection', () => {
  it('is closed before anything is sent if the peer address differs from the requested address', async () => {
    const seen: string[] = []
    const raw = await startReceiver(rawServer(() => seen.push('bytes')))
    const connections = createConnections(1_000)
    for (const protocol of ['http:', 'https:'] as const) {
      const target = { protocol, hostname: '0.0.0.0', isAddress: true, port: raw.port, path: '/', authority: 'x' }
      // The system treats 0.0.0.0 as loopback.
      expect(await reasonOf(connections.send(target, '0.0.0.0', post, performance.now() + 5_000))).toBe(
        'private_address',
      )
    }
    await expect.poll(() => raw.connections.map((socket) => socket.destroyed)).toEqual([true, true])
    expect(seen).toEqual([])
    connections.close()
    await raw.stop()
  })

  it('is closed when it has been idle for the configured time', async () => {
    const connections = createConnections(50)
    const target = {
      protocol: 'http:',
      hostname: '',
      isAddress: true,
      port: local.port,
      path: '/',
      authority: 'x',
    } as const
    await connections.send(target, '127.0.0.1', post, performance.now() + 5_000)
    expect(local.connections[0]!.destroyed).toBe(false)
    await expect.poll(() => local.connections[0]!.destroyed).toBe(true)
    connections.close()
  })

  it('does not reveal the address if it fails', async () => {
    const outbound = createOutbound({ allowLocal: true, resolve: async () => ['127.0.0.1'] })
    const err = await outbound.send('http://receiver.test:1/', post).catch((reason) => reason)
    expect(err.message).toBe('the connection was refused')
    expect(inspect(err, { depth: null, showHidden: true })).not.toContain('127.0.0.1')
    outbound.close()
  })

  it('ignores the proxy that environment variables set', async () => {
    const index = new URL('./index.ts', import.meta.url).href
    const url = `http://127.0.0.1:${local.port}/`
    const script = `
      import http from 'node:http'
      import { createOutbound } from '${index}'
      const outbound = createOutbound({ allowLocal: true })
      const answer = await outbound.send('${url}',
        { method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 5000, maxBytes: 100 })
      const byNode = await new Promise((done) => {
        http.get('${url}', (got) => done(got.statusCode)).on('error', (err) => done(err.code))
      })
      console.log(JSON.stringify({ byOutbound: answer.status, byNode }))
      process.exit()`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' },
    })
    expect(JSON.parse(stdout)).toEqual({ byOutbound: 200, byNode: 'ECONNREFUSED' })
  })
})
