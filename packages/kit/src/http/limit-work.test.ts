import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { problems } from '@storey/contract'
import { pino } from 'pino'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp, type HttpApp } from './app.ts'

const LIMIT_MS = 300

describe('the time limit of a request', () => {
  let app: HttpApp
  let url: string

  beforeAll(async () => {
    app = await createHttp({
      ...{ title: 'Test', description: 'A test', log: pino({ level: 'silent' }), workLimitMs: LIMIT_MS },
      authorize: async () => undefined,
      checkReady: async () => undefined,
    })
    const config = { access: 'public' }
    app.post('/things', { config, schema: { body: Type.Object({ name: Type.String() }) } }, async ({ body }) => body)
    app.get('/endless', { config }, () => new Promise(() => undefined))
    app.get('/slow', { config }, (_request, reply) => reply.send(inPieces('abcdef')))
    url = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => app.close())

  it('[ERR-29] answers 503 when the handler does not finish', async () => {
    const answer = await fetch(`${url}/endless`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await answer.json()).toMatchObject({ code: 'NOT_READY' })
  })

  it('[ERR-29] answers once, even if the authorization fails later, while the rest of the body is read', async () => {
    const lines: unknown[] = []
    const failed = Promise.withResolvers<void>()
    const app = await createHttp({
      ...{ title: 'Test', description: 'A test', workLimitMs: 50 },
      log: pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }),
      authorize: async () => {
        await sleep(300)
        failed.resolve()
        throw problems.unauthenticated()
      },
      checkReady: async () => undefined,
    })
    app.post('/things', { config: { access: 'things' }, schema: { body: Type.Object({}) } }, async () => undefined)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8')
    socket.write('POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{')
    const answer = (await socket.toArray()).join('')
    await failed.promise
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(answer.split('HTTP/1.1')).toHaveLength(2)
    expect(lines).toEqual([])
    await app.close()
  })

  it('[ERR-29] does not run while a body arrives', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = inPieces('{"name":"a"}')
    const answer = await fetch(`${url}/things`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ name: 'a' })
  })

  it('[ERR-29] does not run while a response is read', async () => {
    expect(await (await fetch(`${url}/slow`)).text()).toBe('abcdef')
  })
})

/** A body that arrives in pieces and takes longer than the limit. */
function inPieces(text: string): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces(text)) as ReadableStream<Uint8Array>
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  for (const letter of text) {
    yield Buffer.from(letter)
    await sleep(LIMIT_MS / 4)
  }
}
