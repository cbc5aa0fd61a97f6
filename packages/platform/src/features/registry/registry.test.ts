import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { isCompatible } from './compatible.ts'

const PATH = '/api/v1/registry/modules'
const REMOTE = 'http://localhost:6001/assets/remoteEntry.js'
const manifest = (changes: Record<string, unknown> = {}) => ({
  slug: 'occupancy-board',
  name: 'Occupancy board',
  version: '0.1.0',
  sdkVersion: '1.14.0',
  buildingTypes: ['office'],
  events: {
    publishes: [{ name: 'occupancy-board.opened' }],
    subscribes: [
      {
        name: 'building.point.updated',
        payloadContract: { type: 'object', properties: { buildingId: { type: 'string' } }, required: ['buildingId'] },
      },
    ],
  },
  ...changes,
})

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
})
afterAll(() => stack.close())
const ingest = (changes: Record<string, unknown> = {}, remoteEntryUrl: unknown = REMOTE) =>
  stack.send('POST', `${PATH}/ingest`, { manifest: manifest(changes), remoteEntryUrl })

describe('the registry', () => {
  it('[REG-01, REG-02, REG-03, REG-05, REG-09] registers a module, and updates it', async () => {
    const first = await ingest({ icon: 'board.svg', author: { name: 'A' } })
    expect(first.status).toBe(201)
    expect(first.headers.location).toBe(`${PATH}/occupancy-board`)
    expect(first.body).toEqual({
      slug: 'occupancy-board',
      name: 'Occupancy board',
      version: '0.1.0',
      sdkVersion: '1.14.0',
      compatible: true,
      remoteEntryUrl: REMOTE,
      federationName: 'occupancy_board',
      exposeName: './Shell',
      buildingTypes: ['office'],
      events: manifest().events,
      manifest: { ...manifest(), icon: 'board.svg', author: { name: 'A' } },
      updatedAt: expect.stringMatching(/Z$/),
    })
    const elsewhere = 'http://127.0.0.1:7001/assets/remoteEntry.js'
    const second = await ingest({ version: '0.2.0', buildingTypes: undefined, events: undefined }, elsewhere)
    expect(second.status).toBe(200)
    expect(second.body).toMatchObject({ version: '0.2.0', remoteEntryUrl: elsewhere, buildingTypes: [] })
    expect(second.body.events).toEqual({ publishes: [], subscribes: [] })
    expect(second.body.updatedAt > first.body.updatedAt).toBe(true)
    expect((await stack.get(`${PATH}/occupancy-board`)).body).toEqual(second.body)
  })

  it('[REG-13] lists modules in the order of their slugs, and reads and removes a module', async () => {
    await ingest({ slug: 'b' })
    await ingest({ slug: 'a-1' })
    const { body } = await stack.get(`${PATH}?limit=2`)
    expect(body).toMatchObject({ limit: 2, offset: 0 })
    expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(['a-1', 'b'])
    expect((await stack.send('DELETE', `${PATH}/b`)).status).toBe(204)
    expect((await stack.send('DELETE', `${PATH}/b`)).status).toBe(404)
    expect((await stack.get(`${PATH}/b`)).status).toBe(404)
    expect((await stack.get(`${PATH}/${encodeURIComponent("x' or 1=1")}`)).status).toBe(404)
  })

  it.each([
    ['an upper-case letter', 'Board'],
    ['a dash at the end', 'board-'],
    ['two dashes', 'a--b'],
    ['an underscore', 'a_b'],
    ['65 characters', 'a'.repeat(65)],
    ['no characters', ''],
    ['a number instead of a text', 7],
    ['a line end', 'board\n'],
  ])('[REG-04] refuses a slug with %s', async (_, slug) => {
    const { status, body } = await ingest({ slug })
    expect(status).toBe(400)
    expect(body.errors[0].pointer).toBe('/manifest/slug')
  })

  it('[REG-04] accepts a slug of 64 characters', async () => {
    expect((await ingest({ slug: 'a'.repeat(64) })).status).toBe(201)
  })

  it('[REG-06] refuses an unknown building type, and lists the valid ones', async () => {
    const { status, body } = await ingest({ buildingTypes: ['office', 'castle'] })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'UNKNOWN_BUILDING_TYPE' })
    expect(body.validValues).toEqual(['office', 'mall'])
    expect(body.errors[0].pointer).toBe('/manifest/buildingTypes/1')
  })

  it('[REG-06] names all unknown building types, and stores a repeated building type once', async () => {
    const { body } = await ingest({ buildingTypes: ['castle', 'office', 'barn'] })
    expect(body).toMatchObject({ code: 'UNKNOWN_BUILDING_TYPE', validValues: ['office', 'mall'] })
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/manifest/buildingTypes/0',
      '/manifest/buildingTypes/2',
    ])
    expect(body.detail).toMatch(/castle.*barn/)
    const twice = await ingest({ slug: 'twice', buildingTypes: ['office', 'mall', 'office'] })
    expect(twice.body.buildingTypes).toEqual(['office', 'mall'])
  })

  it.each(['Upper.case', 'a..b', '.a', 'a.', 'a. b', '-a', 'a._b', 'ä', ''])(
    '[REG-07] refuses the event name %j',
    async (name) => {
      const { status, body } = await ingest({ events: { subscribes: [{ name: 'fine.name_1-2' }, { name }] } })
      expect(status).toBe(400)
      expect(body.errors[0].pointer).toBe('/manifest/events/subscribes/1/name')
    },
  )

  it('[REG-08] refuses an event without a name, a repeated event, too many events, and a contract that does not compile', async () => {
    const at = async (publishes: unknown) => (await ingest({ events: { publishes } })).body.errors[0].pointer
    expect(await at([{ payloadContract: {} }])).toBe('/manifest/events/publishes/0/name')
    expect(await at([{ name: 'a' }, { name: 'a' }])).toBe('/manifest/events/publishes/1/name')
    const contract = '/manifest/events/publishes/0/payloadContract'
    expect(await at([{ name: 'a', payloadContract: { type: 'nonsense' } }])).toBe(contract)
    expect(await at([{ name: 'a', payloadContract: { $ref: 'http://127.0.0.1/x' } }])).toBe(contract)
    expect(await at([{ name: 'a', payloadContract: 'text' }])).toBe(contract)
    expect(await at(Array.from({ length: 10_000 }, (_, i) => ({ name: `e${i}` })))).toBe('/manifest/events/publishes')
  })

  it.each([
    ['2020-12 without $schema', { $defs: { id: { type: 'string' } }, properties: { a: { $ref: '#/$defs/id' } } }],
    ['a tuple of 2020-12', { prefixItems: [{ type: 'string' }], items: false }],
    ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
    ['unknown formats', { properties: { a: { type: 'string', format: 'hostname' }, b: { format: 'x' } } }],
    ['annotations', { 'x-owner': 'us', example: { a: 1 }, properties: { a: { 'x-unit': 'K', nullable: true } } }],
  ])('[REG-08] accepts a payload contract: %s', async (_, payloadContract) => {
    const events = { publishes: [{ name: 'a', payloadContract }], subscribes: [] }
    const { status, body } = await ingest({ slug: 'contracts', events })
    expect([200, 201], JSON.stringify(body)).toContain(status)
    expect(body.events).toEqual(events)
  })

  it.each([
    [{ type: 'nonsense' }, /payloadContract is not a JSON Schema: type must be .*: array, boolean/],
    [{ items: [{ type: 'string' }] }, /payloadContract is not a JSON Schema: items must be object,boolean/],
    [{ $ref: 'https://example.org/x' }, /payloadContract refers to https:\/\/example.org\/x/],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, /payloadContract has a \$schema that is neither/],
  ])('[REG-08] reports what is wrong with the contract %j', async (payloadContract, reason) => {
    const { status, body } = await ingest({ events: { publishes: [{ name: 'a', payloadContract }] } })
    expect(status).toBe(400)
    expect(body.errors[0].detail).toMatch(/^manifest\.events\.publishes\.0\./)
    expect(body.errors[0].detail).toMatch(reason)
  })

  it('refuses a DELETE request whose body has fields', async () => {
    await ingest({ slug: 'stays' })
    const refused = await stack.send('DELETE', `${PATH}/stays`, { licenses: true })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/licenses', in: 'body' }] } })
    expect((await stack.get(`${PATH}/stays`)).status).toBe(200)
  })

  it.each([
    ['version', '1.0'],
    ['version', '01.0.0'],
    ['sdkVersion', 'latest'],
    ['sdkVersion', undefined],
    ['name', ''],
    ['name', 'two\nlines'],
    ['buildingTypes', 'office'],
    ['events', []],
  ])('refuses %s %j, and the error names the field', async (field, value) => {
    const { status, body } = await ingest({ [field]: value })
    expect(status).toBe(400)
    expect(body.errors[0].pointer).toMatch(new RegExp(`^/manifest(/${field})?$`))
    expect(body.errors[0].detail).toContain(field)
  })

  it.each([
    'javascript:alert(1)',
    'https://localhost:6001/assets/remoteEntry.js',
    'http://192.168.1.4:6001/assets/remoteEntry.js',
    'http://localhost.example.com:6001/x.js',
    'http://user:pass@localhost:6001/x.js',
    'http://[::1]:6001/x.js',
    'https://example.com/x.js',
    'data:text/javascript,1',
    '//localhost:6001/x.js',
    'localhost:6001',
    'http:\\\\localhost:6001\\x.js',
    'http://localhost:6001\\@example.com/x.js',
    'http://localhost:6001/a\\b.js',
    'http:localhost:6001/x.js',
    'http:/localhost:6001/x.js',
    'http:///localhost:6001/x.js',
    ' http://localhost:6001/x.js',
    'http://localhost:6001/x.js\n',
    'http://local\thost:6001/x.js',
    'http://localhost:6001/a b.js',
    'http://localhost:6001/\u0085x.js',
    'http://@localhost:6001/x.js',
    'http://:@localhost:6001/x.js',
    'http://ｌocalhost:6001/x.js',
    'http://lo\u00adcalhost:6001/x.js',
    'http://%6cocalhost:6001/x.js',
    'http://LOCALHOST:6001/x.js',
    'http://localhost.:6001/x.js',
    'http://127.0.0.1.:6001/x.js',
    'http://127.1:6001/x.js',
    'http://2130706433:6001/x.js',
    'http://0x7f000001:6001/x.js',
    'http://0177.0.0.1:6001/x.js',
    'http://127.0.0.2:6001/x.js',
    'http://localhost:0/x.js',
    'http://localhost:/x.js',
    'http://localhost:06001/x.js',
    'http://localhost:65536/x.js',
    'http://localhost:6001',
    'http://localhost:6001?x.js',
    'http://localhost:6001#/x.js',
    'http://localhost:6001/x.js#y',
    'http://LOCALHOST:6001/x.js',
  ])('[REG-11] refuses the remote entry %s', async (url) => {
    const { status, body } = await ingest({}, url)
    expect(status).toBe(400)
    expect(body.errors[0]).toMatchObject({ pointer: '/remoteEntryUrl', in: 'body' })
  })

  it.each([
    ['http://localhost:6001/a/../remoteEntry.js', 'http://localhost:6001/remoteEntry.js'],
    ['http://localhost:80/x.js?v=1', 'http://localhost/x.js?v=1'],
    ['http://127.0.0.1:6001/ü.js', 'http://127.0.0.1:6001/%C3%BC.js'],
  ])('[REG-11] stores %s as a normalized URL', async (url, kept) => {
    expect((await ingest({}, url)).body.remoteEntryUrl).toBe(kept)
  })

  it('[REG-12] accepts only public https URLs when the module route is off', async () => {
    const production = await startTestStack({ moduleRoute: 'off' })
    const asked = async (remoteEntryUrl: string) =>
      (await production.send('POST', `${PATH}/ingest`, { manifest: manifest(), remoteEntryUrl })).status
    expect(await asked(REMOTE)).toBe(400)
    expect(await asked('http://8.8.8.8/x.js')).toBe(400)
    expect(await asked('https://10.0.0.1/x.js')).toBe(400)
    expect(await asked('https://localhost/x.js')).toBe(400)
    expect(await asked('javascript:alert(1)')).toBe(400)
    for (const odd of ['https://8.8.8.8', 'https://134744072/x.js', 'https://8.8.8.8./x.js', 'https:8.8.8.8/x.js']) {
      expect(await asked(odd), odd).toBe(400)
    }
    for (const odd of [
      'https://u@8.8.8.8/x.js',
      'https://8.8.8.8\\x.js',
      'https://８.8.8.8/x.js',
      'https://intranet/x',
    ]) {
      expect(await asked(odd), odd).toBe(400)
    }
    expect(await asked('https://[2606:4700:4700:0:0:0:0:1111]/x.js')).toBe(400)
    expect(await asked('https://8.8.8.8/assets/remoteEntry.js')).toBe(201)
    expect(await asked('https://[2606:4700:4700::1111]:8443/x.js')).toBe(200)
    await production.close()
  })

  it.each([
    ['1.14.0', true],
    ['1.0.0', true],
    ['1.13.9', true],
    ['1.14.0-beta.1', true],
    ['1.14.0+build', true],
    ['1.14.1', false],
    ['1.15.0-alpha', false],
    ['2.0.0', false],
    ['0.9.0', false],
  ])('[REG-10] compares the SDK version %s with the platform version 1.14.0; compatible: %s', (version, expected) => {
    expect(isCompatible(version, '1.14.0')).toBe(expected)
  })

  it('[REG-10] orders pre-releases as Semantic Versioning does', () => {
    const order = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11']
    for (const [i, earlier] of [...order, '1.0.0-rc.1', '1.0.0'].entries()) {
      for (const later of [...order, '1.0.0-rc.1', '1.0.0'].slice(i)) expect(isCompatible(earlier, later)).toBe(true)
      for (const before of order.slice(0, i)) expect(isCompatible(earlier, before)).toBe(false)
    }
  })
})
