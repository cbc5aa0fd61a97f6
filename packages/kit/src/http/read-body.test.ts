import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { problems } from '@storey/contract'
import { pino } from 'pino'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp, type HttpApp } from './app.ts'
import { BODIES } from './body-rule.ts'
import { endAfterDrain } from './drain-request.ts'
import { toProblem } from './errors.ts'

const KEY = 'authorization: Bearer good\r\n'
const JSON_TYPE = 'content-type: application/json\r\n'

describe('the body of a request', () => {
  let app: HttpApp
  let port: number
  const lines: { level: number; msg: string }[] = []
  const bodies: unknown[] = []

  beforeAll(async () => {
    app = await createHttp({
      title: 'Test',
      description: 'A test',
      log: pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) }),
      authorize: async (request, _access, count) => {
        if (request.headers.authorization !== 'Bearer good') throw problems.unauthenticated()
        count('caller')
      },
      checkReady: async () => undefined,
    })
    const config = { noPrecondition: 'a test', access: 'things' }
    const keep = async ({ body }: { body: unknown }) => {
      bodies.push(body)
      return { kept: true }
    }
    const schema = { body: Type.Object({ name: Type.String() }, { additionalProperties: false }) }
    app.post('/things', { config, schema }, keep)
    const errorHandler = (err: unknown): never => {
      throw toProblem(err)
    }
    app.post('/own-errors', { config, schema, errorHandler }, keep)
    app.get('/things/:id', { config }, keep)
    app.delete('/things/:id', { config }, keep)
    app.put('/lists', { config: { ...config, body: { ...BODIES.bulk, maxValues: 1000 } } }, keep)
    app.put('/bulk', { config: { ...config, body: BODIES.bulk } }, keep)
    await app.listen({ port: 0, host: '127.0.0.1' })
    port = (app.server.address() as { port: number }).port
  })
  afterAll(() => app.close())

  /** Sends only these bytes. If there is a response, the server did not wait for the rest of the body. */
  async function answerTo(head: string, rest = '') {
    const socket = connect(port, '127.0.0.1')
    const answer = readAnswer(socket)
    socket.write(`${head.trim()}\r\nhost: x\r\n\r\n${rest}`)
    try {
      return await answer
    } finally {
      socket.destroy()
    }
  }
  const post = (path: string, more = '') => `POST ${path} HTTP/1.1\r\n${more}`
  const LONG = 'content-length: 10000000\r\n'

  it.each([
    ['an unknown address', post('/nothing', JSON_TYPE + LONG), 404, 'NOT_FOUND'],
    ['a wrong method', post('/things/1', JSON_TYPE + LONG), 405, 'METHOD_NOT_ALLOWED'],
    ['no credential', post('/things', JSON_TYPE + LONG), 401, 'UNAUTHENTICATED'],
    ['a wrong type', post('/things', `${KEY}content-type: text/plain\r\n${LONG}`), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a content encoding',
      post('/things', `${KEY}${JSON_TYPE}content-encoding: gzip\r\n${LONG}`),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['its length', post('/things', KEY + JSON_TYPE + LONG), 413, 'BODY_TOO_LARGE'],
    ['a route without a body', `DELETE /things/1 HTTP/1.1\r\n${KEY}${JSON_TYPE}${LONG}`, 413, 'BODY_TOO_LARGE'],
  ])('[ERR-25] is refused before it is read, for %s', async (_why, head, status, code) => {
    for (const length of [head, head.replace(LONG, 'transfer-encoding: chunked\r\n')]) {
      if (status === 413 && length !== head) continue
      const { headers, json } = await answerTo(length)
      expect({ status: json.status, code: json.code }).toEqual({ status, code })
      expect(headers).toContain('connection: close')
    }
    expect(bodies).toEqual([])
  })

  it('[ERR-27] may be absent: a wrong method or OPTIONS still gets the list of allowed methods', async () => {
    expect((await answerTo('PATCH /things/7?x=1 HTTP/1.1')).headers).toContain('allow: delete, get, head, options')
    expect((await answerTo('PROPFIND /things HTTP/1.1')).headers).toContain('allow: options, post')
    const options = await answerTo('OPTIONS /things/7 HTTP/1.1')
    expect(options.status).toBe(204)
    expect(options.headers).toContain('allow: delete, get, head, options')
    expect((await answerTo('OPTIONS /nothing HTTP/1.1')).status).toBe(404)
    expect((await answerTo('POST /things/a/b HTTP/1.1')).status).toBe(404)
    expect((await answerTo(`POST /things/${'x'.repeat(101)} HTTP/1.1`)).status).toBe(405)
  })

  it('[ERR-25] is refused at the limit of its route if it is chunked, and its connection is closed', async () => {
    const send = (credential: string) => {
      const socket = connect(port, '127.0.0.1')
      const answer = readAnswer(socket)
      socket.write(`${post('/things', credential + JSON_TYPE)}host: x\r\ntransfer-encoding: chunked\r\n\r\n`)
      const chunk = `4000\r\n${'['.repeat(10)}${' '.repeat(0x4000 - 10)}\r\n`
      const timer = setInterval(() => socket.writable && socket.write(chunk), 1)
      socket.once('close', () => clearInterval(timer))
      return { socket, answer }
    }
    const { socket, answer } = send(KEY)
    const { json, headers } = await answer
    expect(json).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE', detail: expect.stringContaining('64 KB') })
    expect(headers).toContain('connection: close')
    socket.destroy()
    // The connection of an unauthenticated client is closed sooner than that of a caller.
    const anonymous = send('')
    expect((await anonymous.answer).status).toBe(401)
    await new Promise((resolve) => anonymous.socket.once('close', resolve))
  })

  it('[ERR-25] is read only up to a limit if it is endless, and the response ends after a limited time', async () => {
    const body = new PassThrough()
    const answer = endAfterDrain(body as unknown as IncomingMessage, 'no', { bytes: 100, ms: 50 })
    const text = new Response(Readable.toWeb(answer) as ReadableStream).text()
    for (let i = 0; i < 20; i++) body.write('x'.repeat(10))
    await expect.poll(() => body.isPaused()).toBe(true)
    expect(await text).toBe('no')
  })

  it('[HST-40] is requested with 100 Continue only if the head is accepted', async () => {
    const waits = 'expect: 100-continue\r\n'
    const refused = await answerTo(post('/things', waits + JSON_TYPE + LONG))
    expect(refused.json).toMatchObject({ status: 401 })
    expect(refused.headers).toContain('connection: close')
    const unknown = await answerTo(post('/things?nmae=1', `${waits}${KEY}${JSON_TYPE}content-length: 10\r\n`))
    expect(unknown.json).toMatchObject({ status: 400, errors: [{ pointer: '/nmae', in: 'query' }] })
    const body = '{"name":1}'
    const length = `content-length: ${body.length}\r\n`
    expect((await answerTo(post('/things', waits + KEY + JSON_TYPE + length))).status).toBe(100)
    const chunked = await answerTo(`GET /things/1 HTTP/1.1\r\n${waits}${KEY}transfer-encoding: chunked\r\n`)
    expect(chunked.status).toBe(100)
  })

  it('[ERR-26] is refused before it is complete if it has too many values, or is nested too deeply', async () => {
    for (const [path, text, reason] of [
      ['/lists', '[{},'.padEnd(5000, '{},'), '1000 values'],
      ['/bulk', '['.repeat(300), '200 levels'],
    ] as const) {
      const head = `PUT ${path} HTTP/1.1\r\n${KEY}${JSON_TYPE}content-length: 9000000\r\n`
      const { json } = await answerTo(head, text)
      expect(json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', detail: expect.stringContaining(reason) })
    }
  })

  it('is treated like no body if it is empty, whatever its type and framing', async () => {
    const remove = (more: string, rest = '') => answerTo(`DELETE /things/1 HTTP/1.1\r\n${KEY}${more}`, rest)
    const form = 'content-type: application/x-www-form-urlencoded\r\n'
    const chunked = 'transfer-encoding: chunked\r\n'
    expect((await remove(`${form}content-length: 0\r\n`)).status).toBe(200)
    expect((await remove(form)).status).toBe(200)
    expect((await remove(chunked, '0\r\n\r\n')).status).toBe(200)
    expect((await remove(form + chunked, '0\r\n\r\n')).status).toBe(200)
    expect((await remove(JSON_TYPE + chunked, '2\r\n{}\r\n0\r\n\r\n')).status).toBe(200)
    expect((await remove(form + chunked, '3\r\na=1\r\n0\r\n\r\n')).json).toMatchObject({ status: 415 })
    const named = await remove(`${JSON_TYPE}content-length: 7\r\n`, '{"a":1}')
    expect(named.json).toMatchObject({ status: 400, errors: [{ pointer: '/a', in: 'body' }] })
  })

  it('[ERR-13] is refused by a route without a body if it is not empty, with the pointer of its first field', async () => {
    for (const [body, pointer, detail] of [
      ['{"a/b":1}', '/a~1b', 'a/b is not a known field: this call accepts no body'],
      ...['3', '"x"', 'false', '[{}]'].map((other) => [other, '', 'this call accepts no body'] as const),
    ] as const) {
      const head = `DELETE /things/1 HTTP/1.1\r\n${KEY}${JSON_TYPE}content-length: ${body.length}\r\n`
      const { json } = await answerTo(head, body)
      expect(json).toMatchObject({ status: 400, errors: [{ pointer, in: 'body', detail }] })
    }
  })

  it('[ERR-25] is ignored on a GET if it is small, and refused if it is large', async () => {
    const get = (more: string, rest: string) => answerTo(`GET /things/1 HTTP/1.1\r\n${KEY}${more}`, rest)
    expect((await get('content-length: 3\r\n', 'a=1')).status).toBe(200)
    expect((await get('transfer-encoding: chunked\r\n', '3\r\na=1\r\n0\r\n\r\n')).status).toBe(200)
    expect((await get(LONG, '')).json).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
    const endless = `5000\r\n${'x'.repeat(0x5000)}\r\n`
    expect((await get('transfer-encoding: chunked\r\n', endless)).json).toMatchObject({ status: 413 })
  })

  it.each([
    ['GET', KEY],
    ['OPTIONS', ''],
  ])('[ERR-25] of a %s is read before the response is sent, and the connection stays open', async (method, key) => {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    let received = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
    })
    socket.write(`${method} /things/1 HTTP/1.1\r\nhost: x\r\n${key}content-length: 6\r\n\r\nabc`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(received).toBe('')
    socket.write(`def${method} /things/1 HTTP/1.1\r\nhost: x\r\n${key}\r\n`)
    await expect.poll(() => received.match(/HTTP\/1\.1 20[04] /g)).toHaveLength(2)
    expect(received).not.toContain('connection: close')
    socket.destroy()
    const { json } = await answerTo(`${method} /things/1 HTTP/1.1\r\n${key}${LONG}`)
    expect(json).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  })

  it('[ERR-25] leaves the connection open if it is refused after it was read completely', async () => {
    const body = '{"name":1}'
    const head = `${post('/things', KEY + JSON_TYPE)}content-length: ${body.length}\r\n`
    const { json, headers } = await answerTo(head, body)
    expect(json.status).toBe(400)
    expect(headers).not.toContain('connection: close')
  })

  it('[ERR-28] causes one debug line in the log if the client disconnects before the end of the body', async () => {
    lines.length = 0
    for (const [path, rest] of [
      ['/things', ''],
      ['/things', '{"name":'],
      ['/own-errors', '{"name":'],
    ] as const) {
      const socket = connect(port, '127.0.0.1')
      socket.write(`${post(path, KEY + JSON_TYPE)}host: x\r\ncontent-length: 5000\r\n\r\n${rest}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
      socket.destroy()
    }
    await expect.poll(() => lines.length).toBe(3)
    for (const line of lines) expect(line).toMatchObject({ level: 20, msg: 'client disconnected before the response' })
    expect(JSON.stringify(lines)).not.toContain('    at ')
  })
})

function readAnswer(socket: Socket): Promise<{ status: number; headers: string; json: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (body === undefined || Buffer.byteLength(body) < length) return
      socket.off('error', reject).on('error', () => undefined)
      const json = length > 0 ? JSON.parse(body) : {}
      resolve({ status: Number(head.split(' ')[1]), headers: head.toLowerCase(), json })
    })
    socket.on('close', () => reject(new Error(`closed after ${text.slice(0, 200)}`)))
  })
}
