import { closed, Problem, problems } from '@storey/contract'
import { pino } from 'pino'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { createHttp } from './app.ts'
import { BODIES } from './body-rule.ts'

const newApp = (log = silentLog) =>
  createHttp({
    title: 'Test',
    description: 'A test',
    log,
    authorize: async (request, access) => {
      if (request.headers.authorization !== `Bearer ${access}`) throw problems.unauthenticated()
    },
    checkReady: async () => undefined,
  })

describe('an HTTP application', () => {
  it('[PRM-20] does not start with a route that declares no access', async () => {
    const app = await newApp()
    expect(() => app.get('/open', async () => 'x')).toThrow('/open declares no access')
  })

  it('[PRM-21] documents the access of each route', async () => {
    const app = await newApp()
    app.get('/things', { config: { access: 'things:read' } }, async () => [])
    const { paths, components } = (await app.inject('/api/v1/openapi.json')).json()
    expect(paths['/things'].get).toMatchObject({ 'x-access': 'things:read', security: [{ bearer: [] }] })
    expect(paths['/things'].get.responses.default).toEqual({ $ref: '#/components/responses/Problem' })
    expect(components.responses.Problem.content).toHaveProperty('application/problem+json')
  })

  it('[ERR-33] documents the problems of each route, and logs undocumented problems', async () => {
    const lines: Record<string, unknown>[] = []
    const app = await newApp(pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }))
    const querystring = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })) }, closed)
    app.get('/open', { config: { access: 'public' }, schema: { querystring } }, async () => {
      throw problems.conflict('state', 'It is taken')
    })
    app.post('/things/:id', { config: { access: 'things', problems: ['CONFLICT'] } }, async () => 'x')
    const { paths } = (await app.inject('/api/v1/openapi.json')).json()
    expect(Object.keys(paths['/open'].get.responses)).toEqual(['400', '500', '503', 'default'])
    const statuses = ['400', '401', '404', '408', '409', '413', '415', '429', '500', '503', 'default']
    expect(Object.keys(paths['/things/{id}'].post.responses)).toEqual(statuses)
    expect((await app.inject('/open?limit=6')).json()).toMatchObject({
      code: 'LIMIT_TOO_LARGE',
      errors: [{ pointer: '/limit', in: 'query', detail: 'limit must be at most 5' }],
    })
    await app.inject('/open')
    await app.inject('/open')
    expect(lines).toMatchObject([{ route: '/open', code: 'CONFLICT', msg: expect.stringContaining('not documented') }])
  })

  it('lets no cache share a response', async () => {
    const app = await newApp()
    app.get('/things', { config: { access: 'things:read' } }, async () => ['mine'])
    app.get('/lasting', { config: { access: 'public' } }, async (_request, reply) => {
      return reply.header('cache-control', 'private, max-age=60').send('x')
    })
    app.get('/tagged', { config: { access: 'public', revalidates: true } }, async () => ['mine'])
    const control = async (url: string, authorization = '') =>
      (await app.inject({ url, headers: { authorization } })).headers['cache-control']
    expect(await control('/things', 'Bearer things:read')).toBe('no-store')
    for (const path of ['/things', '/nowhere', '/healthz']) expect(await control(path)).toBe('no-store')
    expect(await control('/lasting')).toBe('private, max-age=60')
    expect(await control('/tagged')).toBe('private, no-cache')
  })

  it('lets no browser guess the type of a response', async () => {
    const app = await newApp()
    app.get('/open', { config: { access: 'public' } }, async () => '<script>alert(1)</script>')
    for (const path of ['/open', '/nowhere', '/healthz'])
      expect((await app.inject(path)).headers['x-content-type-options']).toBe('nosniff')
  })

  it('names operations after their paths, without the common prefix', async () => {
    const app = await newApp()
    for (const path of ['/api/v1/things/:id', '/api/service-desk/requests', '/apis', '/healthy']) {
      app.get(path, { config: { access: 'public' } }, async () => [])
    }
    const { paths } = (await app.inject('/api/v1/openapi.json')).json()
    const ids = Object.values(paths as Record<string, { get: { operationId: string } }>).map(
      ({ get }) => get.operationId,
    )
    expect(ids).toEqual(expect.arrayContaining(['getThingsId', 'getServiceDeskRequests', 'getApis', 'getHealthy']))
  })

  it('[ERR-12, ERR-14, ERR-21] does not reveal internal errors', async () => {
    const app = await newApp()
    app.get('/broken', { config: { access: 'public' } }, async () => {
      throw new Error('select secret from tenants')
    })
    const answer = await app.inject('/broken')
    expect(answer.headers['content-type']).toContain('application/problem+json')
    expect(answer.json()).toEqual({
      type: 'urn:storey:problem:internal',
      title: 'Internal error',
      status: 500,
      detail: 'Internal error: include the request id when you report it',
      code: 'INTERNAL',
      requestId: answer.headers['x-request-id'],
    })
  })

  it('[AUD-07] never returns the text of a key, even if it is the name of a parameter', async () => {
    const app = await newApp()
    const schema = { querystring: Type.Object({}, { additionalProperties: false }) }
    app.get('/closed', { config: { access: 'public' }, schema }, async () => 'x')
    const key = `svc_${'a1B2'.repeat(11)}xy`
    const answer = await app.inject(`/closed?${key}=1`)
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain('svc_…')
    expect(answer.body).not.toContain(key)
  })

  it('[ERR-12] sends the headers and members of a problem', async () => {
    const app = await newApp()
    app.get('/busy', { config: { access: 'public' } }, async () => {
      throw new Problem('NOT_READY', 'Soon', { headers: { 'retry-after': '3' }, members: { phase: 'waking' } })
    })
    const answer = await app.inject('/busy')
    expect(answer.headers['retry-after']).toBe('3')
    expect(answer.json()).toMatchObject({ status: 503, code: 'NOT_READY', phase: 'waking' })
  })

  it('[ERR-24] answers 503 with Retry-After when the database is unavailable, and logs one line without a stack trace', async () => {
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
    const app = await newApp(log)
    let code = '53100'
    app.get('/stored', { config: { access: 'public' } }, async () => {
      throw Object.assign(new Error('could not extend file'), { code })
    })
    for (let i = 0; i < 20; i++) {
      const answer = await app.inject('/stored')
      expect(answer.json()).toMatchObject({ status: 503, code: 'NOT_READY' })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect(answer.body).not.toContain('extend')
    }
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: 40, code: '53100', reason: 'could not extend file' })
    expect(JSON.stringify(lines)).not.toContain('    at ')
    code = '22P02'
    expect((await app.inject('/stored')).statusCode).toBe(500)
  })

  it('[ERR-13] does not convert values of a body, but converts query parameters', async () => {
    const app = await newApp()
    const schema = {
      body: Type.Object({ n: Type.Integer() }, { additionalProperties: false }),
      querystring: Type.Object({ n: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
    }
    app.post('/n', { config: { access: 'public' }, schema }, async ({ body, query }) => ({ body, query }))
    const send = (payload: object, url = '/n') => app.inject({ method: 'POST', url, payload })
    expect((await send({ n: 5 }, '/n?n=7')).json()).toEqual({ body: { n: 5 }, query: { n: 7 } })
    expect((await send({ n: '5' })).json().errors).toEqual([{ pointer: '/n', in: 'body', detail: 'n must be integer' }])
    for (const text of ['x', '0x10', '1e1', '%205', '5.0', '9'.repeat(400)]) {
      const refused = (await send({ n: 5 }, `/n?n=${text}`)).json()
      expect(refused.errors).toEqual([{ pointer: '/n', in: 'query', detail: 'n must be integer' }])
    }
    expect((await send({ 'a/b': 1, n: 1 })).json().errors).toEqual([
      { pointer: '/a~1b', in: 'body', detail: 'a/b is not a known field' },
    ])
  })

  it('[ERR-22] keeps names such as __proto__ as data', async () => {
    const app = await newApp()
    app.post('/echo', { config: { access: 'public', body: BODIES.medium } }, async ({ body }) =>
      Object.keys(body as object),
    )
    const payload = '{"__proto__": {"x": 1}, "constructor": 2}'
    const headers = { 'content-type': 'application/json' }
    const answer = await app.inject({ method: 'POST', url: '/echo', payload, headers })
    expect(answer.json()).toEqual(['__proto__', 'constructor'])
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('[ERR-13] names the body field or query parameter with a NUL character, and answers 404 if the path has one', async () => {
    const app = await newApp()
    app.post('/any', { config: { access: 'public', body: BODIES.medium } }, async () => 'x')
    const send = async (payload: string, url = '/any') => {
      const headers = { 'content-type': 'application/json' }
      return (await app.inject({ method: 'POST', url, payload, headers })).json()
    }
    expect((await send('{"a": {"b": "x\\u0000"}}')).errors).toMatchObject([{ pointer: '/a/b', in: 'body' }])
    expect((await send('{"a": {"b\\u0000": 1}}')).errors).toMatchObject([{ pointer: '/a', in: 'body' }])
    expect((await send('{}', '/any?q=%00')).errors).toMatchObject([{ pointer: '/q', in: 'query' }])
    expect((await send('{}', '/any?q=a?%00')).errors).toMatchObject([{ pointer: '/q', in: 'query' }])
    expect((await send('{}', '/any%00')).code).toBe('NOT_FOUND')
  })

  it('[ERR-22] refuses deeply nested bodies, and does not count brackets in strings', async () => {
    const app = await newApp()
    app.post('/any', { config: { access: 'public', body: BODIES.medium } }, async () => 'x')
    const send = (payload: string) =>
      app.inject({ method: 'POST', url: '/any', payload, headers: { 'content-type': 'application/json' } })
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ]) {
      const nested = (depth: number) => `${open!.repeat(depth)}1${close!.repeat(depth)}`
      expect((await send(nested(200))).statusCode).toBe(200)
      expect((await send(nested(201))).json().detail).toContain('200 levels')
      expect((await send(nested(100_000))).statusCode).toBe(400)
    }
    expect((await send(JSON.stringify('[{"'.repeat(5000)))).statusCode).toBe(200)
  })

  it.each([
    ['application/json; charset=utf-16', undefined],
    ['application/json', 'gzip'],
    ['text/plain', undefined],
  ])('[ERR-20] refuses a body with Content-Type %s and Content-Encoding %s', async (type, encoding) => {
    const app = await newApp()
    app.post('/any', { config: { access: 'public', body: BODIES.medium } }, async () => 'x')
    const headers = { 'content-type': type, ...(encoding ? { 'content-encoding': encoding } : {}) }
    const answer = await app.inject({ method: 'POST', url: '/any', payload: '{}', headers })
    expect(answer.json()).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it('[ERR-11] refuses unknown parameters, even on routes that declare none', async () => {
    const app = await newApp()
    let calls = 0
    app.delete('/things/:id', { config: { access: 'public', noPrecondition: 'a test' } }, async () => ({
      calls: ++calls,
    }))
    const refused = await app.inject({ method: 'DELETE', url: '/things/1?dryRun=true' })
    expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer: '/dryRun', in: 'query' }] })
    expect(calls).toBe(0)
  })

  it('[ERR-11] does not start with a route that would accept unknown parameters', async () => {
    const app = await newApp()
    const open = { querystring: Type.Object({ a: Type.Optional(Type.String()) }) }
    expect(() => app.get('/open', { config: { access: 'public' }, schema: open }, async () => 'x')).toThrow(
      'accepts unknown parameters',
    )
  })

  it('[HST-43] ignores parameters of health checks and documents, because monitors and shared links add them', async () => {
    const app = await newApp()
    for (const path of ['/healthz', '/readyz', '/docs', '/api/v1/openapi.json']) {
      expect((await app.inject(`${path}?probe=1&x=2`)).statusCode).toBe(200)
    }
  })

  it('[ERR-32] gives every response a request id, even for a malformed URL', async () => {
    const app = await newApp()
    app.get('/things/:id', { config: { access: 'public' } }, async () => 'x')
    for (const url of ['/things/%zz', '/%', '/things/%E0%A4%A', '/nothing']) {
      const answer = await app.inject(url)
      expect(answer.headers['x-request-id']).toMatch(/^req_/)
      expect(answer.json().requestId).toBe(answer.headers['x-request-id'])
    }
  })

  it('[ERR-32] passes a path segment of any length to its route', async () => {
    const app = await newApp()
    app.get('/things/:id', { config: { access: 'things:read' } }, async () => {
      throw problems.notFound('thing')
    })
    const url = `/things/${'x'.repeat(5000)}`
    expect((await app.inject({ url, headers: { authorization: 'Bearer things:read' } })).statusCode).toBe(404)
    expect((await app.inject(url)).statusCode).toBe(401)
    const post = await app.inject({ method: 'POST', url })
    expect([post.statusCode, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('[HST-07] is not ready while a dependency does not respond', async () => {
    const app = await createHttp({
      title: 'Test',
      description: 'A test',
      log: silentLog,
      authorize: async () => undefined,
      checkReady: async () => {
        throw new Error('no database')
      },
    })
    expect((await app.inject('/healthz')).statusCode).toBe(200)
    const answer = await app.inject('/readyz')
    expect(answer.json()).toMatchObject({ status: 503, code: 'NOT_READY' })
    expect(answer.headers['retry-after']).toBeDefined()
  })
})
