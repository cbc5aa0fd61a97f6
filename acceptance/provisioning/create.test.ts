import { beforeAll, describe, expect, it } from 'vitest'
import { SMALL } from '../system/actors.ts'
import { api, newDeveloper, operator, systemUrl, waitWhileProvisioning } from '../system/shared.ts'

const path = '/api/v1/sandboxes'

describe('creating a sandbox', () => {
  let key: string
  beforeAll(async () => {
    key = (await newDeveloper()).key
  })

  it('[SBX-01, SBX-02, SBX-03, SBX-25, ERR-02, ERR-04] answers 202 with a record and its Location', async () => {
    const { key } = await newDeveloper()
    const created = await api(key, path, { body: { name: 'Lindenhof', ...SMALL } })
    expect(created.status).toBe(202)
    expect(created.json).toMatchObject({ name: 'Lindenhof', status: 'provisioning', extensionsRemaining: 2 })
    expect(created.json.sandboxId).toMatch(/^sbx_[a-z0-9]+$/)
    expect(created.json.organizationId).toMatch(/^org_/)
    const read = await api(key, created.headers.location as string)
    expect(read.json.sandboxId).toBe(created.json.sandboxId)
  })

  it('[SBX-10, SBX-11, SBX-12, SBX-13, SBX-14, SBX-15, SBX-16, SBX-17, SBX-18, SBX-24] fills in the defaults', async () => {
    const { key } = await newDeveloper()
    const { json } = await api(key, path, { body: { name: 'Defaults' } })
    expect(json).toMatchObject({
      buildingType: 'office',
      storeys: 5,
      spacesMin: 10,
      spacesMax: 30,
      equipmentDensity: 'realistic',
      occupancyProfile: 'office-hours',
      seedTelemetryDays: 7,
    })
    expect(json.areaSqm).toBeGreaterThan(0)
    expect(json.seed).toMatch(/^.{1,64}$/)
    expect(Date.parse(json.expiresAt) - Date.parse(json.createdAt)).toBe(14 * 86_400_000)
    const mall = await api(key, path, { body: { name: 'Mall', buildingType: 'mall', ...SMALL } })
    expect(mall.json.occupancyProfile).toBe('peak-evenings')
    for (const { sandboxId } of [json, mall.json]) await api(key, `${path}/${sandboxId}`, { method: 'DELETE' })
  })

  it('[SBX-21, SBX-22, SBX-23, SBX-26, ERR-01, ERR-05] returns the complete record once it is ready', async () => {
    const { key } = await newDeveloper()
    const created = await api(key, path, { body: { name: 'Whole', ...SMALL, seed: 'whole' } })
    const record = await waitWhileProvisioning(key, created.json.sandboxId)
    expect(record).toMatchObject({
      name: 'Whole',
      status: 'ready',
      consoleUrl: record.apiUrl,
      buildingType: 'office',
      storeys: 1,
      seed: 'whole',
      progress: { percent: 100, step: 'Ready' },
    })
    expect(record).not.toHaveProperty('failureReason')
    expect(record.apiUrl).toBe(systemUrl.replace('localhost', `${record.slug}.localhost`))
    expect(record.buildingId).toMatch(/^[0-9a-f-]{36}$/)
    expect(record.siteId).toMatch(/^[0-9a-f-]{36}$/)
    expect(record.fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(record.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it.each([
    ['[SBX-04]', {}, 'name'],
    ['[SBX-05]', { name: '' }, 'name'],
    ['[SBX-05]', { name: 'x'.repeat(65) }, 'name'],
    ['[SBX-08]', { name: '🎉🎉' }, 'name'],
    ['[SBX-08]', { name: '   ' }, 'name'],
    ['[SBX-08]', { name: 'a\u0000b' }, 'name'],
    ['[SBX-08]', { name: 'a\ud800' }, 'name'],
    ['[SBX-08]', { name: 'a\u2028b' }, 'name'],
    ['[SBX-05]', { name: 5 }, 'name'],
    ['[SBX-10]', { name: 'x', buildingType: 'castle' }, 'buildingType'],
    ['[SBX-11]', { name: 'x', storeys: 0 }, 'storeys'],
    ['[SBX-11]', { name: 'x', storeys: 51 }, 'storeys'],
    ['[SBX-11]', { name: 'x', storeys: 2.5 }, 'storeys'],
    ['[SBX-11]', { name: 'x', storeys: '5' }, 'storeys'],
    ['[SBX-11]', { name: 'x', storeys: null }, 'storeys'],
    ['[SBX-12]', { name: 'x', areaSqm: -1 }, 'areaSqm'],
    ['[SBX-12]', { name: 'x', areaSqm: 0 }, 'areaSqm'],
    ['[SBX-12]', { name: 'x', areaSqm: 50, storeys: 10 }, 'areaSqm'],
    ['[SBX-12]', { name: 'x', areaSqm: 1e300 }, 'areaSqm'],
    ['[SBX-13]', { name: 'x', ttlDays: 0 }, 'ttlDays'],
    ['[SBX-13]', { name: 'x', ttlDays: 31 }, 'ttlDays'],
    ['[SBX-14]', { name: 'x', seedTelemetryDays: 31 }, 'seedTelemetryDays'],
    ['[SBX-14]', { name: 'x', seedTelemetryDays: -1 }, 'seedTelemetryDays'],
    ['[SBX-15]', { name: 'x', spacesMin: 9, spacesMax: 8 }, 'spacesMin'],
    ['[SBX-15]', { name: 'x', spacesMin: 0 }, 'spacesMin'],
    ['[SBX-15]', { name: 'x', spacesMax: 201 }, 'spacesMax'],
    ['[SBX-16]', { name: 'x', equipmentDensity: 'some' }, 'equipmentDensity'],
    ['[SBX-17]', { name: 'x', occupancyProfile: 'never' }, 'occupancyProfile'],
    ['[SBX-18]', { name: 'x', seed: '' }, 'seed'],
    ['[ERR-11]', { name: 'x', colour: 'red' }, 'colour'],
  ])('%s [SBX-19, ERR-12, ERR-13] refuses %j and names %s', async (_rule, body, field) => {
    const refused = await api(key, path, { body })
    expect(refused.status).toBe(400)
    expect(refused.headers['content-type']).toContain('application/problem+json')
    expect(refused.json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect(refused.json.detail).toContain(field)
    expect(refused.json.errors.map((error: { pointer: string }) => error.pointer)).toContain(`/${field}`)
    expect(refused.json.requestId).toBe(refused.headers['x-request-id'])
    expect((await api(key, path)).json.total).toBe(0)
  })

  it('[SBX-07, SBX-09] gives names in other scripts readable slugs, and equal names different slugs', async () => {
    const { key } = await newDeveloper()
    const names = ['Торговый центр', 'Торговый центр']
    const slugs = []
    for (const name of names) slugs.push((await api(key, path, { body: { name, ...SMALL } })).json.slug)
    for (const slug of slugs) expect(slug).toMatch(/^torgovyy-tsentr-[a-z0-9]{5}$/)
    expect(slugs[0]).not.toBe(slugs[1])
  })

  it('[SBX-20] returns the first record for a repeated Idempotency-Key, even to concurrent requests', async () => {
    const { key } = await newDeveloper()
    const headers = { 'idempotency-key': 'once' }
    const body = { name: 'Once', ...SMALL }
    const answers = await Promise.all(Array.from({ length: 5 }, () => api(key, path, { body, headers })))
    expect(new Set(answers.map(({ json }) => json.sandboxId)).size).toBe(1)
    expect(answers.every(({ status }) => status === 202)).toBe(true)
    expect((await api(key, path)).json.total).toBe(1)
    const other = await api(key, path, { body: { ...body, name: 'Twice' }, headers })
    expect(other.json).toMatchObject({ status: 409, code: 'CONFLICT', field: 'Idempotency-Key' })
  })

  it('[ERR-20] refuses a body whose content type is not JSON', async () => {
    const refused = await api(key, path, { body: 'name=x', headers: { 'content-type': 'text/plain' } })
    expect(refused.json).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  it.each([
    ['malformed', '{"name": '],
    ['not an object', '[]'],
    ['deeply nested', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['empty', ''],
  ])('[ERR-22] refuses a body that is %s', async (_what, body) => {
    const headers = { 'content-type': 'application/json' }
    const refused = await api(key, path, { method: 'POST', body, headers })
    expect(refused.json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect((await api(key, '/healthz')).status).toBe(200)
  })

  it('[ERR-25] validates a body of 64 KB, and refuses a body that is one byte larger as too large', async () => {
    const text = (bytes: number) => {
      const head = '{"name":"x","colour":"'
      return `${head}${'a'.repeat(bytes - head.length - 2)}"}`
    }
    const read = await api(key, path, { body: text(65_536) })
    expect(read.json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    const refused = await api(key, path, { body: text(65_537) })
    expect(refused.json).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  })

  it('[ERR-27] lists the allowed methods of a route', async () => {
    const refused = await api(key, path, { method: 'DELETE' })
    expect(refused.json).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' })
    expect(refused.headers.allow).toBe('GET, HEAD, OPTIONS, POST')
  })

  it('[ERR-15] requires a valid credential', async () => {
    const typo = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
    for (const token of [undefined, 'svc_nonsense', typo, 'a.b.c']) {
      const refused = await api(token, path, { body: { name: 'x' } })
      expect(refused.json).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
      expect(refused.headers['www-authenticate']).toContain('Bearer')
    }
  })

  it('refuses a key whose scope does not include sandboxes', async () => {
    const { organizationId } = await newDeveloper()
    const publish = await operator('key', 'mint', '--org', organizationId, '--scope', 'publish')
    expect((await api(publish, path)).json).toMatchObject({ status: 403, code: 'SCOPE_DENIED' })
    const full = await operator('key', 'mint', '--org', organizationId, '--scope', 'full')
    expect((await api(full, path)).status).toBe(200)
  })
})
