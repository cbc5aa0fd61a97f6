import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Admission, createAdmission } from '@storey/kit/admission'
import { BODIES, type BodyRule, createHttp, type HttpApp } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { admitRequests } from './admit-requests.ts'

const MB = 1024 * 1024
const CAPACITY = 30 * MB

let app: HttpApp
let admission: Admission
let port: number
let open: () => void
let opened: Promise<void>
let connections: Socket[]
const agent = new Agent({ keepAlive: false })

beforeEach(async () => {
  opened = new Promise((resolve) => {
    open = resolve
  })
  connections = []
  app = await createHttp({
    title: 'test',
    description: '',
    log: silentLog,
    authorize: async (_request, _access, count) => count('caller'),
    checkReady: async () => undefined,
  })
  admission = createAdmission({ capacity: () => CAPACITY, maxWaiting: 2, maxWaitMs: 5_000, refusal: 'busy' })
  admitRequests(app, admission, () => 'caller')
  const body: BodyRule = { ...BODIES.bulk, types: { 'application/json': 'bytes' }, codings: ['gzip'] }
  const config = { access: 'tenant', describedBody: {}, body }
  app.post('/slow', { config }, async (req) => {
    await opened
    return { length: (req.body as Buffer).length }
  })
  app.get('/large', { config: { access: 'tenant' } }, async () => 'x'.repeat(20 * MB))
  app.server.on('connection', (socket: Socket) => connections.push(socket))
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterEach(async () => {
  open()
  app.server.closeAllConnections()
  await app.close()
})

interface Sent {
  answer: Promise<IncomingMessage>
  leave(): void
}

function post(
  bytes: number,
  headers: Record<string, string | number> = { 'content-length': bytes },
  body: string | Buffer = `"${'x'.repeat(bytes - 2)}"`,
): Sent {
  const sent = request({ port, host: '127.0.0.1', path: '/slow', method: 'POST', agent })
  sent.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value)
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', (message) => {
      message.resume()
      resolve(message)
    })
    sent.on('error', reject)
  })
  answer.catch(() => undefined)
  sent.end(body)
  return { answer, leave: () => sent.destroy() }
}

const waiting = (count: number) => expect.poll(() => admission.report().waiting).toBe(count)

describe('the admission of requests', () => {
  it('[STK-16] does not read a body until there is memory for it', async () => {
    const first = post(9 * MB)
    await expect.poll(() => connections[0]?.bytesRead ?? 0).toBeGreaterThan(9 * MB)
    const second = post(9 * MB)
    await waiting(1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(connections[1]!.bytesRead).toBeLessThan(MB)
    open()
    expect((await first.answer).statusCode).toBe(200)
    expect((await second.answer).statusCode).toBe(200)
    await expect.poll(() => admission.report()).toEqual({ bytesInUse: 0, waiting: 0, refused: 0 })
  })

  it('[STK-16] refuses with 503 and Retry-After when too many requests wait', async () => {
    const sent = [post(9 * MB), post(9 * MB), post(9 * MB)]
    await waiting(2)
    const { statusCode, headers } = await post(9 * MB).answer
    expect([statusCode, headers['retry-after']]).toEqual([503, '1'])
    open()
    for (const { answer } of sent) expect((await answer).statusCode).toBe(200)
  })

  it('reserves memory for the largest allowed body if the length of the body is unknown', async () => {
    post(10, { 'transfer-encoding': 'chunked' })
    await expect.poll(() => admission.report().bytesInUse).toBeGreaterThanOrEqual(CAPACITY)
    open()
    await expect.poll(() => admission.report().bytesInUse).toBe(0)
  })

  it('[ERR-36] waits until there is memory for the decompressed size of a body, and reserves this memory', async () => {
    const compressed = gzipSync(Buffer.alloc(9 * MB, 'x'))
    const send = () => post(0, { 'content-encoding': 'gzip', 'content-length': compressed.length }, compressed)
    const sent = [send(), send(), send()]
    await waiting(2)
    await expect.poll(() => admission.report().bytesInUse).toBeGreaterThanOrEqual(27 * MB)
    open()
    for (const { answer } of sent) expect((await answer).statusCode).toBe(200)
    await expect.poll(() => admission.report()).toEqual({ bytesInUse: 0, waiting: 0, refused: 0 })
  })

  it('ends the wait of a request or releases its memory when the client disconnects', async () => {
    const first = post(CAPACITY / 3 - 32 * 1024)
    await expect.poll(() => admission.report().bytesInUse).toBeGreaterThan(0)
    // The server notices the end of a connection only by reading from it, so the body must be small enough to be read
    // ahead.
    const second = post(40 * 1024)
    await waiting(1)
    second.leave()
    await waiting(0)
    first.leave()
    await expect.poll(() => admission.report().bytesInUse).toBe(0)
  })

  it('counts the memory of a response until the client has read it', async () => {
    const get = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        request({ port, host: '127.0.0.1', path: '/large', agent }, resolve).on('error', reject).end()
      })
    const first = await get()
    expect(admission.report().bytesInUse).toBeGreaterThanOrEqual(20 * MB)
    first.resume()
    await expect.poll(() => admission.report().bytesInUse).toBe(0)
  })
})
