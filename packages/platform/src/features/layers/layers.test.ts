import { systemClock } from '@storey/kit/clock'
import { NO_PRECONDITION } from '@storey/kit/http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sandboxToken } from '../../testing/tokens.ts'
import { changeLayer, type LayerParts } from './change-layer.ts'
import { createRoomIdentifiers } from './room-identifiers.ts'
import { type LayersApi, startLayersApi } from './testing/layers-api.ts'

let api: LayersApi
beforeAll(async () => {
  api = await startLayersApi()
})
afterAll(() => api.stack.close())

const NOBODY = '0191b6a0-0000-7000-8000-000000000000'
const refusal = (code: string, pointer: string) => ({
  status: 400,
  body: { code, errors: expect.arrayContaining([expect.objectContaining({ pointer })]) },
})
const one = (id: string) => `${api.path}/${id}`
const patch = (id: string, body: object) => api.stack.send('PATCH', one(id), body)

describe('POST …/data-layers', () => {
  it('[LAY-01] responds with 201, the layer and its location', async () => {
    const { status, body, headers } = await api.create({ key: 'co2', name: 'CO₂', valueType: 'NUMBER' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: 'co2',
      name: 'CO₂',
      description: null,
      valueType: 'NUMBER',
      valueSchema: null,
      legend: null,
      metadata: null,
      valueCount: 0,
      valuesUpdatedAt: null,
      createdAt: expect.stringMatching(/\.\d{3}Z$/),
      updatedAt: body.createdAt,
    })
    expect(headers.location).toBe(one(body.id))
    expect((await api.stack.get(one(body.id))).body).toEqual(body)
  })

  it.each(['key', 'name', 'valueType'])('[LAY-02] requires %s', async (field) => {
    expect(await api.create({ [field]: undefined })).toMatchObject(refusal('VALIDATION_FAILED', `/${field}`))
  })

  it.each(['ab', '0-', 'a'.repeat(63), '9'.repeat(63)])('[LAY-03] accepts the key %s', async (key) => {
    expect((await api.create({ key })).status).toBe(201)
  })
  it.each(['', 'a', 'a'.repeat(64), '-ab', 'Ab', 'a b', 'a_b', 'äb', 'ab\n', 7, null])(
    '[LAY-03] refuses the key %j',
    async (key) => {
      expect(await api.create({ key })).toMatchObject(refusal('VALIDATION_FAILED', '/key'))
    },
  )

  it('[LAY-04] refuses a key that is already used in the building, and accepts it in another building', async () => {
    await api.create({ key: 'taken' })
    expect(await api.create({ key: 'taken' })).toMatchObject({ status: 409, body: { code: 'CONFLICT', field: 'key' } })
    const elsewhere = api.path.replace(api.stack.seeded.buildingId, api.stack.other.buildingId)
    const body = { key: 'taken', name: 'x', valueType: 'NUMBER' }
    expect((await api.stack.send('POST', elsewhere, body)).status).toBe(201)
  })

  it.each(['NUMBER', 'STRING', 'BOOLEAN', 'ENUM'])('[LAY-05] accepts the type %s', async (valueType) => {
    expect(await api.create({ valueType })).toMatchObject({ status: 201, body: { valueType } })
  })
  it.each(['number', 'INTEGER', '', 7, null])('[LAY-05] refuses the type %j', async (valueType) => {
    expect(await api.create({ valueType })).toMatchObject(refusal('VALIDATION_FAILED', '/valueType'))
  })

  it('[LAY-06] returns description, schema, legend and metadata as they were sent', async () => {
    const given = {
      description: 'Zeile 1\nстрока 2',
      valueSchema: { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'https://x/y', minimum: 0, title: 'T' },
      legend: [
        { min: 0, max: 1.5, label: 'low', color: '#0a8' },
        { value: 7, label: 'seven', color: 'RebeccaPurple' },
      ],
      metadata: { b: 1, a: [null, { 'x.y': '\ud800' }], constructor: 'c' },
    }
    const { status, body } = await api.create(given)
    expect(status).toBe(201)
    expect(body).toMatchObject(given)
    expect((await api.stack.get(one(body.id))).body).toEqual(body)
    expect(Object.keys(body.metadata)).toEqual(['b', 'a', 'constructor'])
  })

  it('refuses metadata over 64 KB, unknown fields and invalid values', async () => {
    const metadata = { x: 'x'.repeat(65_536) }
    expect(await api.create({ metadata })).toMatchObject(refusal('VALIDATION_FAILED', '/metadata'))
    expect(await api.create({ metadata: [] })).toMatchObject({ status: 400 })
    expect(await api.create({ colour: 1 })).toMatchObject(refusal('VALIDATION_FAILED', '/colour'))
    expect(await api.create({ name: '' })).toMatchObject(refusal('VALIDATION_FAILED', '/name'))
    expect(await api.create({ name: 'a\u0007' })).toMatchObject(refusal('VALIDATION_FAILED', '/name'))
    expect(await api.create({ description: 'x'.repeat(2001) })).toMatchObject({ status: 400 })
    // A lone surrogate would be stored as another character, U+FFFD.
    for (const character of ['\x1b', '\u009b', '\x7f', '\ud800']) {
      const errors = [{ pointer: '/description', in: 'body' }]
      expect(await api.create({ description: `a${character}b` })).toMatchObject({ status: 400, body: { errors } })
    }
  })

  it.each([{ type: 'nonsense' }, { minimum: 'x' }, 'text', [], { nothing: true }])(
    '[LAY-07] refuses the schema %j',
    async (valueSchema) => {
      expect(await api.create({ valueSchema })).toMatchObject(refusal('VALUE_SCHEMA_INVALID', '/valueSchema'))
    },
  )

  it('[LAY-08] accepts a schema of draft 2020-12, and refuses a remote reference', async () => {
    const valueSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { a: { minimum: 3 } },
      $ref: '#/$defs/a',
    }
    const id = await api.layer('NUMBER', { valueSchema })
    const key = api.spaces[0]!.externalId
    expect((await api.put(id, { [key]: 3 })).status).toBe(200)
    expect(await api.put(id, { [key]: 2 })).toMatchObject({ status: 400, body: { code: 'VALUE_SCHEMA_MISMATCH' } })
    const remote = { $ref: 'http://127.0.0.1:9/x.json' }
    expect(await api.create({ valueSchema: remote })).toMatchObject(refusal('VALUE_SCHEMA_INVALID', '/valueSchema'))
  })

  it('[LAY-09] refuses a schema over 64 KB', async () => {
    const valueSchema = { description: 'x'.repeat(65_536) }
    expect(await api.create({ valueSchema })).toMatchObject(refusal('VALUE_SCHEMA_INVALID', '/valueSchema'))
  })

  const shown = { label: 'x', color: '#fff' }
  it.each<[string, object, string]>([
    ['NUMBER', { ...shown }, 'value'],
    ['NUMBER', { ...shown, value: 1, min: 0, max: 1 }, 'value'],
    ['NUMBER', { ...shown, value: 1, min: 0 }, 'value'],
    ['NUMBER', { ...shown, min: 0 }, 'max'],
    ['NUMBER', { ...shown, max: 0 }, 'min'],
    ['NUMBER', { ...shown, min: 2, max: 1 }, 'min'],
    ['NUMBER', { ...shown, value: '1' }, 'value'],
    ['BOOLEAN', { ...shown, value: 'true' }, 'value'],
    ['STRING', { ...shown, value: 1 }, 'value'],
    ['ENUM', { ...shown, value: null }, 'value'],
    ['NUMBER', { value: 1, color: '#fff' }, 'label'],
    ['NUMBER', { value: 1, label: 'x' }, 'color'],
    ['NUMBER', { ...shown, value: 1, label: '' }, 'label'],
    ['NUMBER', { ...shown, value: 1, color: 'url(http://x)' }, 'color'],
    ['NUMBER', { ...shown, value: 1, color: '#12345' }, 'color'],
    ['NUMBER', { ...shown, value: 1, color: 'constructor' }, 'color'],
    ['NUMBER', { ...shown, value: 1, more: 1 }, 'more'],
  ])('[LAY-11] refuses in a %s layer the legend entry %j', async (valueType, entry, field) => {
    const good = {
      label: 'good',
      color: 'red',
      value: valueType === 'NUMBER' ? 9 : valueType === 'BOOLEAN' ? true : 'a',
    }
    const answer = await api.create({ valueType, legend: [good, entry] })
    expect(answer).toMatchObject(refusal('VALIDATION_FAILED', `/legend/1/${field}`))
  })

  it.each([{ min: 0, max: 1 }, { min: 0 }, { max: 1 }, { value: 'a', min: 0, max: 1 }])(
    '[LAY-12] refuses the range %j in an ENUM layer',
    async (range) => {
      const answer = await api.create({ valueType: 'ENUM', legend: [{ ...shown, ...range }] })
      expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining('NUMBER layers only') } })
    },
  )

  it('refuses more than a hundred legend entries', async () => {
    const legend = (length: number) => Array.from({ length }, (_, value) => ({ ...shown, value }))
    expect((await api.create({ legend: legend(100) })).status).toBe(201)
    expect(await api.create({ legend: legend(101) })).toMatchObject(refusal('VALIDATION_FAILED', '/legend'))
  })
})

describe('data layers', () => {
  it('[LAY-13] are listed by key, read, and deleted with their values', async () => {
    const { body: last } = await api.create({ key: 'zzz' })
    const { body: first } = await api.create({ key: '0--' })
    await api.put(first.id, { [api.spaces[0]!.externalId]: 1 })
    const { body } = await api.stack.get(`${api.path}?limit=200`)
    expect(body.data).toContainEqual({ ...first, valueCount: 1, valuesUpdatedAt: expect.stringMatching(/\.\d{3}Z$/) })
    expect(body.data.at(-1)).toEqual(last)
    expect(body.total).toBe(body.data.length)
    const keys = body.data.map(({ key }: { key: string }) => key)
    expect(keys).toEqual([...keys].sort())
    expect((await api.stack.send('DELETE', one(first.id))).status).toBe(204)
    expect((await api.stack.get(one(first.id))).status).toBe(404)
    expect((await api.page(first.id)).status).toBe(404)
    expect((await api.stack.send('DELETE', one(first.id))).status).toBe(404)
    expect((await api.create({ key: '0--' })).body.valueCount).toBe(0)
  })

  it('are not found under another or an unknown building, or by a wrong id', async () => {
    const { body } = await api.create()
    const elsewhere = api.path.replace(api.stack.seeded.buildingId, api.stack.other.buildingId)
    for (const path of [`${elsewhere}/${body.id}`, one(NOBODY), one('nothing'), one("'"), one(`${body.id}x`)]) {
      for (const part of ['', '/values', '/legend']) {
        expect((await api.stack.get(path + part)).status, path + part).toBe(404)
      }
      expect((await api.stack.send('PATCH', path, { name: 'x' })).status).toBe(404)
      expect((await api.stack.send('PUT', `${path}/values`, { values: {} })).status).toBe(404)
      expect((await api.stack.send('DELETE', path)).status).toBe(404)
    }
    expect((await api.stack.get(api.path.replace(api.stack.seeded.buildingId, NOBODY))).status).toBe(404)
    expect((await api.stack.get(api.path.replace(api.stack.seeded.buildingId, 'nothing'))).status).toBe(404)
    const nowhere = api.path.replace(api.stack.seeded.buildingId, NOBODY)
    expect((await api.stack.send('POST', nowhere, { key: 'ab', name: 'x', valueType: 'ENUM' })).status).toBe(404)
    expect((await api.stack.get(one(body.id.toUpperCase()))).body.id).toBe(body.id)
  })

  it('[PRM-15] are read with one permission and written with another', async () => {
    const { body } = await api.create()
    const as = async (claims: Record<string, unknown>) => `Bearer ${await sandboxToken(claims)}`
    const user = await as({ realm_access: { roles: ['user'] } })
    const manager = await as({ realm_access: { roles: ['manager'] } })
    const outsider = await as({ tenant_id: 'org_other' })
    const writes = [
      ['POST', api.path],
      ['PATCH', one(body.id)],
      ['PUT', `${one(body.id)}/values`],
      ['DELETE', one(body.id)],
    ] as const
    for (const [method, path] of writes) {
      const status = async (who: string | null) =>
        (await api.stack.send(method, path, method === 'DELETE' ? undefined : {}, who)).status
      expect(await status(null), method).toBe(401)
      expect(await status(user), method).toBe(403)
      expect(await status(outsider), method).toBe(403)
      expect(await status(manager), method).toBe(method === 'DELETE' ? 204 : 400)
    }
    const left = await api.layer('NUMBER')
    for (const path of [api.path, one(left), `${one(left)}/values`, `${one(left)}/legend`]) {
      expect((await api.stack.get(path, user)).status).toBe(200)
      expect((await api.stack.get(path, null)).status).toBe(401)
      expect((await api.stack.get(path, outsider)).status).toBe(403)
    }
  })
})

describe('PATCH …/data-layers/{layerId}', () => {
  it('[LAY-14] changes the given fields, and clears those that are null', async () => {
    const { body } = await api.create({ description: 'before', metadata: { a: 1 } })
    const changed = {
      name: 'After',
      description: null,
      legend: [{ value: 1, label: 'one', color: '#111' }],
      valueSchema: { minimum: 0 },
    }
    const answer = await patch(body.id, changed)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ ...body, ...changed, updatedAt: expect.any(String) })
    expect((await patch(body.id, { metadata: { b: 2 } })).body.metadata).toEqual({ b: 2 })
    const nulls = { legend: null, valueSchema: null, metadata: null }
    expect((await patch(body.id, nulls)).body).toMatchObject({ ...nulls, name: 'After' })
    expect((await api.stack.get(one(body.id))).body).toMatchObject(nulls)
  })

  it('refuses what POST refuses, and a changed key', async () => {
    const id = await api.layer('STRING')
    const bad: [object, string][] = [
      [{ name: null }, '/name'],
      [{ key: 'other' }, '/key'],
      [{ legend: [{ value: 1, label: 'x', color: '#fff' }] }, '/legend/0/value'],
      [{ metadata: { x: 'x'.repeat(65_536) } }, '/metadata'],
      [{ valueSchema: { type: 'nonsense' } }, '/valueSchema'],
      [{ updatedAt: 'now' }, '/updatedAt'],
    ]
    const before = (await api.stack.get(one(id))).body
    for (const [body, pointer] of bad) {
      const answer = await patch(id, { description: 'no', ...body })
      expect(answer, pointer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
    }
    expect((await patch(id, {})).status).toBe(400)
    expect((await api.stack.get(one(id))).body).toEqual(before)
  })

  it.each(['STRING', 'nonsense', null, 7])('[LAY-15] refuses to change the type NUMBER to %j', async (valueType) => {
    const id = await api.layer('NUMBER')
    const answer = await patch(id, { valueType, name: 'no' })
    expect(answer).toMatchObject(refusal('VALUE_TYPE_IMMUTABLE', '/valueType'))
    expect((await api.stack.get(one(id))).body).toMatchObject({
      valueType: 'NUMBER',
      name: expect.not.stringMatching('no'),
    })
  })

  it('[LAY-15] accepts the type that the layer already has', async () => {
    const id = await api.layer('NUMBER')
    expect(await patch(id, { valueType: 'NUMBER' })).toMatchObject({ status: 200, body: { valueType: 'NUMBER' } })
  })

  it('[LAY-16] refuses a schema that stored values do not match, and names up to ten rooms', async () => {
    const id = await api.layer('NUMBER')
    const values = Object.fromEntries(api.spaces.map(({ id }, i) => [id, i]))
    await api.put(id, values, { keyBy: 'id' })
    const answer = await patch(id, { valueSchema: { minimum: 3 }, name: 'no' })
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT', field: 'valueSchema' } })
    expect([...answer.body.roomIds].sort()).toEqual(
      api.spaces
        .slice(0, 3)
        .map((room) => room.id)
        .sort(),
    )
    const all = await patch(id, { valueSchema: { maximum: -1 } })
    expect(all.body.roomIds).toEqual(
      api.spaces
        .map((room) => room.id)
        .sort()
        .slice(0, 10),
    )
    expect((await api.stack.get(one(id))).body).toMatchObject({
      valueSchema: null,
      name: expect.not.stringMatching('no'),
    })
    expect((await patch(id, { valueSchema: { minimum: 0 } })).status).toBe(200)
  })

  it('refuses a schema if the stored values take too long to check', async () => {
    const id = await api.layer('NUMBER')
    const rooms = api.spaces.slice(0, 3)
    await api.put(id, Object.fromEntries(rooms.map((room) => [room.id, 1])), { keyBy: 'id' })
    let laterMs = 0
    const slow = () => {
      laterMs += 4_000
      return undefined
    }
    const checks = { of: async () => slow }
    const parts: LayerParts = { db: api.stack.db, clock: systemClock, checks, spaces: createRoomIdentifiers() }
    const place = { buildingId: api.stack.seeded.buildingId, layerId: id }
    const now = performance.now.bind(performance)
    const time = vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs)
    try {
      const changed = changeLayer(parts, place, { valueSchema: { minimum: 0 } }, NO_PRECONDITION)
      const refused = { code: 'VALIDATION_FAILED', members: { errors: [{ pointer: '/valueSchema' }] } }
      await expect(changed).rejects.toMatchObject(refused)
    } finally {
      time.mockRestore()
    }
    expect((await api.stack.get(one(id))).body.valueSchema).toBeNull()
  })
})
