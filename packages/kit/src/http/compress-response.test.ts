import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { problems } from '@storey/contract'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { chooseCoding } from './accept-encoding.ts'
import { createHttp, type HttpApp } from './app.ts'
import { BY_VERSION, digestVersion, withVersion } from './record-version.ts'

const LARGE = { list: Array.from({ length: 200 }, (_, i) => `item ${i}`) }

describe('compression of responses', () => {
  let app: HttpApp
  const thing = { name: 'a', ...LARGE }
  beforeAll(async () => {
    app = await createHttp({
      ...{ title: 'Test', description: 'A test', log: silentLog },
      authorize: async () => undefined,
      checkReady: async () => undefined,
    })
    const access = { access: 'public' }
    const version = () => digestVersion(thing.name)
    const answer = () => withVersion({ ...thing }, version())
    app.get('/things/:id', { config: { ...access, record: BY_VERSION } }, async () => answer())
    const schema = { body: Type.Object({ name: Type.String() }) }
    app.patch('/things/:id', { config: { ...access, record: BY_VERSION }, schema }, async (request) => {
      request.precondition.check(version())
      thing.name = (request.body as { name: string }).name
      return answer()
    })
    app.get('/list', { config: { ...access, revalidates: true } }, async (_, reply) =>
      reply.header('vary', 'accept').send(LARGE),
    )
    const text = (length: number) => async () => 'x'.repeat(length)
    app.get('/kilobyte', { config: access }, text(1024))
    app.get('/more', { config: access }, text(1025))
    app.get('/cyrillic', { config: access }, async () => 'ж'.repeat(513))
    app.get('/secret', { config: access }, async (_, reply) => reply.header('cache-control', 'no-store').send(LARGE))
    app.get('/image', { config: access }, async (_, reply) => reply.type('image/png').send(Buffer.alloc(5000)))
    app.get('/stream', { config: access }, async (_, reply) =>
      reply.type('application/json').send(Readable.from(['{"a":', '1}'], { objectMode: false })),
    )
    app.get('/broken', { config: access }, async (_, reply) => {
      const broken = new Readable({ read: () => void broken.destroy(problems.notReady('gone', 1)) })
      return reply.type('application/json').send(broken)
    })
    app.get('/problem', { config: { ...access, problems: ['UNKNOWN_POINTS'] } }, async () => {
      throw problems.unknownPoints(LARGE.list)
    })
  })
  afterAll(() => app.close())

  const read = async (url: string, coding?: string, headers: Record<string, string> = {}) => {
    const accepted = coding === undefined ? {} : { 'accept-encoding': coding }
    const answer = await app.inject({ url, headers: { ...accepted, ...headers } })
    const used = answer.headers['content-encoding']
    const plain =
      used === 'br'
        ? brotliDecompressSync(answer.rawPayload)
        : used === 'gzip'
          ? gunzipSync(answer.rawPayload)
          : answer.rawPayload
    return { ...answer, status: answer.statusCode, headers: answer.headers, used, text: plain.toString() }
  }

  it('[ERR-38] is done for responses over 1 KB and for streams, if the client accepts it', async () => {
    for (const [coding, expected] of [
      ['br', 'br'],
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['deflate', undefined],
      [undefined, undefined],
    ] as const) {
      const { used, text, headers } = await read('/list', coding)
      expect([used, JSON.parse(text)]).toEqual([expected, LARGE])
      expect(headers.vary).toBe('accept, accept-encoding')
    }
    expect((await read('/more', 'br')).used).toBe('br')
    expect((await read('/cyrillic', 'br')).used).toBe('br')
    expect((await read('/kilobyte', 'br')).used).toBeUndefined()
    expect((await read('/stream', 'gzip')).text).toBe('{"a":1}')
    expect((await read('/api/v1/openapi.json', 'br')).used).toBe('br')
  })

  it('[ERR-38] is not done for secrets, for images, and for HEAD', async () => {
    expect((await read('/secret', 'br')).used).toBeUndefined()
    expect((await read('/image', 'br')).used).toBeUndefined()
    const head = await app.inject({ method: 'HEAD', url: '/more', headers: { 'accept-encoding': 'br' } })
    expect(head.headers).not.toHaveProperty('content-encoding')
  })

  it('[ERR-38] is done for problems, but not for a problem that replaces a failed stream', async () => {
    const large = await read('/problem', 'gzip')
    expect([large.status, large.used, JSON.parse(large.text).code]).toEqual([400, 'gzip', 'UNKNOWN_POINTS'])
    const broken = await read('/broken', 'gzip')
    expect([broken.status, broken.used, JSON.parse(broken.text).code]).toEqual([503, undefined, 'NOT_READY'])
  })

  it('[PRE-12] gives each coding its own ETag, which If-None-Match and If-Match accept', async () => {
    const [plain, gzip, br] = await Promise.all([read('/things/1'), read('/things/1', 'gzip'), read('/things/1', 'br')])
    const tags = [plain, gzip, br].map(({ headers }) => String(headers.etag))
    expect(new Set(tags).size).toBe(3)
    expect(tags.every((tag) => !tag.startsWith('W/'))).toBe(true)
    for (const tag of tags) {
      for (const coding of ['br', 'gzip', undefined]) {
        const known = await read('/things/1', coding, { 'if-none-match': tag })
        expect([known.status, known.headers.etag, known.used, known.text]).toEqual([304, tag, undefined, ''])
        expect(known.headers.vary).toBe('accept-encoding')
      }
    }
    const rename = (name: string, tag: string) =>
      app.inject({
        method: 'PATCH',
        url: '/things/1',
        payload: { name },
        headers: { 'if-match': tag, 'accept-encoding': 'br' },
      })
    let tag = tags[2]!
    for (const name of ['b', 'c']) {
      const changed = await rename(name, tag)
      expect(changed.statusCode).toBe(200)
      expect((await rename('x', tag)).statusCode).toBe(412)
      tag = String(changed.headers.etag)
      expect(tag).toMatch(/~br"$/)
    }
    expect((await read('/things/1', 'br', { 'if-none-match': tags.join(', ') })).status).toBe(200)
  })
})

describe('the coding for a client', () => {
  it.each([
    ['br;q=0.5, gzip;q=0.9', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['gzip;q=0.5, identity', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['GZIP; Q=1', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip;q=2', undefined],
    ['gzip;q=x', undefined],
    ['', undefined],
    [',,;=,br', 'br'],
  ])('[ERR-38] is chosen by weight: %s', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding)
  })
})
