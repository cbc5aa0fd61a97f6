import { problems } from '@storey/contract'
import { pino } from 'pino'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { createHttp } from './app.ts'
import { NO_PRECONDITION, readPrecondition, readTags } from './preconditions.ts'
import { BY_VERSION, digestVersion, withVersion } from './record-version.ts'

const access = { access: 'public' }

async function newApp(log = silentLog) {
  const app = await createHttp({
    ...{ title: 'Test', description: 'A test', log },
    authorize: async () => undefined,
    checkReady: async () => undefined,
  })
  const thing = { name: 'a', seen: 0 }
  const version = () => digestVersion(thing.name)
  const answer = () => withVersion({ ...thing }, version())
  const config = { ...access, record: BY_VERSION }
  app.get('/things/:id', { config }, async () => answer())
  app.patch('/things/:id', { config, schema: { body: Type.Object({ name: Type.String() }) } }, async (request) => {
    request.precondition.check(version())
    thing.name = request.body.name
    return answer()
  })
  app.delete('/things/:id', { config }, async (_request, reply) => reply.code(204).send(null))
  app.post('/things', { config: { ...access, newRecord: BY_VERSION } }, async (_request, reply) =>
    reply.code(201).header('cache-control', 'no-store').send(answer()),
  )
  app.get('/list', { config: { ...access, revalidates: true } }, async () => [thing])
  const rename = (name: string, headers: Record<string, string> = {}) =>
    app.inject({ method: 'PATCH', url: '/things/1', payload: { name }, headers })
  const read = (headers: Record<string, string> = {}) => app.inject({ url: '/things/1', headers })
  return { app, thing, rename, read }
}

describe('entity tags', () => {
  it('[PRE-01] are on reads and changes of a record, and differ after a change', async () => {
    const { rename, read } = await newApp()
    const { etag } = (await read()).headers
    expect(etag).toMatch(/^"[\w-]+\.[\w-]{22}"$/)
    expect((await read()).headers['cache-control']).toBe('private, no-cache')
    const changed = await rename('b')
    expect(changed.headers.etag).not.toBe(etag)
    expect((await read()).headers.etag).toBe(changed.headers.etag)
  })

  it('[PRE-02] of an unchanged response let a read be answered with 304 and no body', async () => {
    const { app, thing, read } = await newApp()
    const { etag } = (await read()).headers
    for (const tags of [`${etag}`, `W/${etag}`, `"x", ${etag}`, '*']) {
      const known = await read({ 'if-none-match': tags })
      expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', etag])
      expect(known.headers).not.toHaveProperty('content-type')
      expect(known.headers).not.toHaveProperty('content-length')
    }
    // `seen` is not part of the version. It changes the response, but If-Match with the old tag still succeeds.
    thing.seen = 1
    expect((await read({ 'if-none-match': `${etag}` })).statusCode).toBe(200)
    const list = await app.inject('/list')
    const again = () => app.inject({ url: '/list', headers: { 'if-none-match': `${list.headers.etag}` } })
    expect((await again()).statusCode).toBe(304)
    thing.seen = 2
    expect((await again()).statusCode).toBe(200)
  })

  it('have no digest of a response that contains a secret', async () => {
    const { app, rename } = await newApp()
    const made = await app.inject({ method: 'POST', url: '/things' })
    expect(made.headers.etag).toMatch(/^"[\w-]+\."$/)
    expect((await rename('b', { 'if-match': `${made.headers.etag}` })).statusCode).toBe(200)
  })
})

describe('If-Match', () => {
  it('[PRE-03] accepts a change that expects the current version, and answers 412 to a change that expects another version', async () => {
    const { thing, rename, read } = await newApp()
    const etag = `${(await read()).headers.etag}`
    thing.seen = 1
    for (const tags of ['"x"', `W/${etag}`, '"", "y.z"', etag.replace('.', '')]) {
      const refused = await rename('no', { 'if-match': tags })
      expect(refused.json()).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED', header: 'If-Match' })
    }
    expect(thing.name).toBe('a')
    expect((await rename('b', { 'if-match': `"x", ${etag}` })).statusCode).toBe(200)
    expect((await rename('c', { 'if-match': etag })).statusCode).toBe(412)
    expect((await rename('c', { 'if-match': '*' })).statusCode).toBe(200)
    expect((await rename('d')).statusCode).toBe(200)
  })

  it.each(['', 'x', '"x', 'x"', '"a" "b"', '*, "a"', '"a", *', 'w/"a"', '""a', ',', '"a\tb"'])(
    '[PRE-04] refuses a malformed list of tags with a 400 that names the header: %j',
    async (text) => {
      const { thing, rename, read } = await newApp()
      const refused = await rename('no', { 'if-match': text })
      const errors = [{ pointer: '/if-match', in: 'header' }]
      expect(refused.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', errors })
      expect(thing.name).toBe('a')
      expect((await read({ 'if-none-match': text })).json().errors[0].pointer).toBe('/if-none-match')
    },
  )

  it('is parsed as the list of tags that RFC 9110 defines', () => {
    expect(readTags({ 'if-match': ' ,"a",, \tW/"b,c" ,"",' }, 'if-match')).toEqual(['"a"', 'W/"b,c"', '""'])
    expect(readTags({ 'if-match': ` ${'"a",'.repeat(7000)}` }, 'if-match')).toHaveLength(7000)
    expect(readTags({}, 'if-match')).toBeUndefined()
  })

  it('and If-None-Match are checked on a change, even for a record that does not exist', () => {
    expect(() => readPrecondition({ 'if-none-match': '*' }).check('v')).toThrow(
      problems.preconditionFailed('If-None-Match'),
    )
    expect(() => readPrecondition({ 'if-none-match': 'W/"v.x"' }).check('v')).toThrow('already exists')
    readPrecondition({ 'if-none-match': '"w.x"' }).check('v')
    readPrecondition({ 'if-none-match': '*' }).checkAbsent()
    expect(() => readPrecondition({ 'if-match': '*' }).checkAbsent()).toThrow('read it again')
    expect(readPrecondition({})).toBe(NO_PRECONDITION)
  })
})

describe('a route', () => {
  it('[PRE-05] must declare its precondition, or why it has none, if it changes a record', async () => {
    const { app } = await newApp()
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const add = (config: object) => () =>
        app.route({ method, url: '/x', config: { ...access, ...config }, handler: async () => 'x' })
      expect(add({})).toThrow(`${method} /x declares no precondition`)
      expect(add({ noPrecondition: 'because' })).not.toThrow()
    }
  })

  it('causes an error in the log if it does not check the precondition', async () => {
    const lines: Record<string, unknown>[] = []
    const { app } = await newApp(pino({ level: 'error' }, { write: (line) => void lines.push(JSON.parse(line)) }))
    const remove = (headers = {}) => app.inject({ method: 'DELETE', url: '/things/1', headers })
    await remove()
    expect(lines).toEqual([])
    await remove({ 'if-match': '"x"' })
    expect(lines).toMatchObject([
      { method: 'DELETE', route: '/things/:id', msg: 'precondition not checked by handler' },
    ])
  })

  it('[PRE-06] documents the headers of preconditions, and the responses 412 or 304', async () => {
    const { app } = await newApp()
    const { paths } = (await app.inject('/api/v1/openapi.json')).json()
    const { get, patch } = paths['/things/{id}']
    expect(get.parameters.at(-1)).toMatchObject({ name: 'If-None-Match', in: 'header', required: false })
    expect(get.responses['304'].headers).toHaveProperty('ETag')
    expect(get.responses).not.toHaveProperty('412')
    expect(patch.parameters.at(-1)).toMatchObject({ name: 'If-Match', in: 'header', required: false })
    expect(patch.responses).toHaveProperty('412')
    expect(paths['/things'].post.responses).not.toHaveProperty('412')
    expect(JSON.stringify(paths)).not.toContain('x-entity-tags')
  })
})
