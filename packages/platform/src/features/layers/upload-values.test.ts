import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LayersApi, startLayersApi } from './testing/layers-api.ts'

let api: LayersApi
beforeAll(async () => {
  api = await startLayersApi()
})
afterAll(() => api.stack.close())

const room = (i: number) => api.spaces[i]!
const gid = (i: number) => room(i).externalId
const refusal = (code: string, key: string) => ({ status: 400, body: { code, key } })

describe('PUT …/values', () => {
  it('[LAY-17, LAY-25] returns the counts, and uses external ids by default', async () => {
    const id = await api.layer('NUMBER')
    const { status, body } = await api.put(id, { [gid(0)]: 1.5, [gid(1)]: -0, nobody: 3 })
    expect(status).toBe(200)
    expect(body).toEqual({ written: 2, matched: 2, unmatched: ['nobody'], deleted: 0 })
    expect(await api.values(id)).toEqual(
      new Map([
        [room(0).id, 1.5],
        [room(1).id, 0],
      ]),
    )
  })

  it('changes valuesUpdatedAt of the layer when values were written or deleted, and only then', async () => {
    const id = await api.layer('NUMBER')
    const updatedAt = async (): Promise<string | null> =>
      (await api.stack.get(`${api.path}/${id}`)).body.valuesUpdatedAt
    expect(await updatedAt()).toBeNull()
    const seen: (string | null)[] = []
    for (const [values, more] of [[{ [gid(0)]: 1 }], [{ [gid(0)]: 1 }], [{}, { replace: true }]] as const) {
      await api.put(id, values, more)
      seen.push(await updatedAt())
    }
    expect(new Set(seen).size).toBe(3)
    expect(seen).toEqual(seen.toSorted())

    await api.put(id, { nobody: 1 })
    await api.put(id, {}, { replace: true })
    await api.put(id, { [gid(0)]: 'a' })
    expect(await updatedAt()).toBe(seen.at(-1))
  })

  it('[LAY-18] accepts only finite numbers, of any size, in a NUMBER layer', async () => {
    const id = await api.layer('NUMBER')
    for (const text of ['0', '-1.5', '5e-324', '1.7976931348623157e308', '1e21', '0.1', '9007199254740993']) {
      expect((await api.put(id, `{"${gid(0)}":${text}}`)).status, text).toBe(200)
      expect((await api.values(id)).get(room(0).id), text).toBe(Number(text))
    }
    for (const text of ['1e999', '-1e999', '"1"', 'null', 'true', '[1]', '{}']) {
      expect(await api.put(id, `{"${gid(0)}":${text}}`), text).toMatchObject(refusal('VALUE_TYPE_MISMATCH', gid(0)))
    }
  })

  it('[LAY-19] accepts only true and false in a BOOLEAN layer', async () => {
    const id = await api.layer('BOOLEAN')
    expect((await api.put(id, { [gid(0)]: true, [gid(1)]: false })).body.written).toBe(2)
    expect(await api.values(id)).toEqual(
      new Map([
        [room(0).id, true],
        [room(1).id, false],
      ]),
    )
    for (const value of [0, 1, 'true', '', null, [true], {}]) {
      expect(await api.put(id, { [gid(0)]: value })).toMatchObject(refusal('VALUE_TYPE_MISMATCH', gid(0)))
    }
  })

  it.each(['STRING', 'ENUM'])('[LAY-20] accepts only texts in a layer of type %s', async (valueType) => {
    const id = await api.layer(valueType)
    for (const text of ['', ' ', 'Ж"\\{},NULL', '\u{1f600}', 'x'.repeat(5000), 'null', "'; drop table x"]) {
      expect((await api.put(id, { [gid(0)]: text })).status).toBe(200)
      expect((await api.values(id)).get(room(0).id)).toBe(text)
    }
    for (const value of [0, true, null, ['a'], { a: 1 }, '\ud800']) {
      expect(await api.put(id, { [gid(0)]: value })).toMatchObject(refusal('VALUE_TYPE_MISMATCH', gid(0)))
    }
  })

  it('[LAY-20] accepts only the values of the schema in an ENUM layer with a schema', async () => {
    const id = await api.layer('ENUM', { valueSchema: { enum: ['low', 'high'] } })
    expect((await api.put(id, { [gid(0)]: 'low' })).status).toBe(200)
    expect(await api.put(id, { [gid(0)]: 'Low' })).toMatchObject(refusal('VALUE_SCHEMA_MISMATCH', gid(0)))
  })

  it('[LAY-21, LAY-22] checks all types first, then the schema', async () => {
    const id = await api.layer('NUMBER', { valueSchema: { maximum: 10 } })
    expect(await api.put(id, { a: 11, b: 'x' })).toMatchObject(refusal('VALUE_TYPE_MISMATCH', 'b'))
    const answer = await api.put(id, { a: 1, b: 11, c: 12 })
    expect(answer).toMatchObject(refusal('VALUE_SCHEMA_MISMATCH', 'b'))
    expect(answer.body.detail).toBe('The value of "b" does not match valueSchema: it must be <= 10')
  })

  it('[LAY-21] returns a long key in full in `key`, and truncates it in `detail`', async () => {
    const id = await api.layer('NUMBER')
    const key = 'k'.repeat(10_240)
    const { body } = await api.put(id, { [key]: 'x' })
    expect(body.key).toBe(key)
    expect(body.detail.length).toBeLessThan(200)
  })

  it('[LAY-23] writes and deletes nothing when one value is invalid', async () => {
    const id = await api.layer('NUMBER', { valueSchema: { maximum: 10 } })
    await api.put(id, { [gid(0)]: 1, [gid(1)]: 2 })
    const before = (await api.page(id)).body
    for (const bad of ['x', 11]) {
      expect((await api.put(id, { [gid(2)]: 3, [gid(0)]: 9, zzz: bad }, { replace: true })).status).toBe(400)
      expect((await api.page(id)).body).toEqual(before)
    }
  })

  it('[LAY-24] accepts at most 10000 identifiers', async () => {
    const id = await api.layer('NUMBER')
    const values = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x${i}`, i]))
    const { body } = await api.put(id, { ...values, x0: 1 })
    expect(body).toMatchObject({ written: 0, matched: 0, deleted: 0 })
    expect(body.unmatched).toEqual(Object.keys(values))
    const more = await api.put(id, { ...values, more: 'and of the wrong type' })
    expect(more).toMatchObject({ status: 400, body: { code: 'TOO_MANY_IDENTIFIERS', count: 10_001, max: 10_000 } })
  })

  it('[LAY-25] refuses an unknown keyBy and other invalid fields, and names them', async () => {
    const id = await api.layer('NUMBER')
    const bad: [object, string][] = [
      [{ keyBy: 'code' }, '/keyBy'],
      [{ keyBy: null }, '/keyBy'],
      [{ replace: 'yes' }, '/replace'],
      [{ values: [] }, '/values'],
      [{ values: null }, '/values'],
      [{ values: undefined }, '/values'],
      [{ more: 1 }, '/more'],
    ]
    for (const [more, pointer] of bad) {
      const answer = await api.put(id, {}, more)
      expect(answer, pointer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ pointer }] } })
    }
    for (const text of ['', '[]', '7', '{', '{"values":{"a":1,}}', '{"values":{"\\u0000":1}}']) {
      const json = { 'content-type': 'application/json' }
      const answer = await api.stack.send('PUT', `${api.path}/${id}/values`, text, undefined, json)
      expect(answer, text).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    }
  })

  it('[LAY-26] finds a room by any of its external ids', async () => {
    const id = await api.layer('STRING')
    const path = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces/${room(3).id}/external-ids`
    await api.stack.send('POST', path, { sourceSystem: 'mep', externalId: 'second-3' })
    await api.stack.send('POST', path, { sourceSystem: 'cafm', externalId: 'third-3' })
    for (const externalId of [gid(3), 'second-3', 'third-3']) {
      expect((await api.put(id, { [externalId]: externalId })).body).toMatchObject({ written: 1, unmatched: [] })
      expect((await api.values(id)).get(room(3).id)).toBe(externalId)
    }
  })

  it('[LAY-26] finds only rooms of the building, and no elements', async () => {
    const id = await api.layer('NUMBER')
    const building = (buildingId: string) => `/api/v1/buildings/${buildingId}`
    const element = (await api.stack.get(`${building(api.stack.seeded.buildingId)}/elements?limit=1`)).body.data[0]
    const other = (await api.stack.get(`${building(api.stack.other.buildingId)}/spaces?limit=1`)).body.data[0]
    const unknownIds = [element.externalId, other.externalId]
    expect((await api.put(id, { [unknownIds[0]]: 1, [unknownIds[1]]: 1 })).body).toMatchObject({
      written: 0,
      unmatched: unknownIds,
    })
    const ids = [element.id, other.id]
    const byId = await api.put(id, { [ids[0]]: 1, [ids[1]]: 1 }, { keyBy: 'id' })
    expect(byId.body).toMatchObject({ written: 0, unmatched: ids })
  })

  it('[LAY-27] prefers the room whose external id has the source system ifc, then the oldest room', async () => {
    const id = await api.layer('NUMBER')
    const spaces = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces`
    const storeyId = (await api.stack.get(`${spaces}/${room(0).id}`)).body.storey.id
    const make = async (sourceSystem: string, externalId: string) => {
      const body = { storeyId, name: 'Room', spaceTypeSlug: 'storage', sourceSystem, externalId }
      return (await api.stack.send('POST', spaces, body)).body.id
    }
    await make('cafm', gid(4))
    const first = await make('zzz', 'shared')
    await make('aaa', 'shared')
    expect((await api.put(id, { [gid(4)]: 4, shared: 5 })).body).toMatchObject({ written: 2, matched: 2 })
    expect(await api.values(id)).toEqual(
      new Map([
        [room(4).id, 4],
        [first, 5],
      ]),
    )
  })

  it('[LAY-28] finds rooms by their ids, in upper or lower case', async () => {
    const id = await api.layer('NUMBER')
    const values = { [room(0).id]: 1, [room(1).id.toUpperCase()]: 2, 'no uuid': 3, [gid(2)]: 4 }
    const { body } = await api.put(id, values, { keyBy: 'id' })
    expect(body).toEqual({ written: 2, matched: 2, unmatched: ['no uuid', gid(2)], deleted: 0 })
    expect(await api.values(id)).toEqual(
      new Map([
        [room(0).id, 1],
        [room(1).id, 2],
      ]),
    )
  })

  it('[LAY-29, LAY-30, LAY-31] keeps the values of other rooms, or deletes them with replace', async () => {
    const id = await api.layer('NUMBER')
    await api.put(id, { [gid(0)]: 1, [gid(1)]: 2, [gid(2)]: 3 })
    expect((await api.put(id, { [gid(1)]: 20 })).body).toMatchObject({ written: 1, deleted: 0 })
    expect([...(await api.values(id)).values()].sort()).toEqual([1, 20, 3])
    const replaced = await api.put(id, { [gid(5)]: 5 }, { replace: true })
    expect(replaced.body).toEqual({ written: 1, matched: 1, unmatched: [], deleted: 3 })
    expect(await api.values(id)).toEqual(new Map([[room(5).id, 5]]))
    const nothing = await api.put(id, { nobody: 1 }, { replace: true })
    expect(nothing.body).toMatchObject({ written: 0, matched: 0, deleted: 1 })
    expect((await api.values(id)).size).toBe(0)
  })

  it('[LAY-33, LAY-34] counts identifiers and rooms, and lists unmatched identifiers in request order', async () => {
    const id = await api.layer('NUMBER')
    const path = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces/${room(6).id}/external-ids`
    await api.stack.send('POST', path, { sourceSystem: 'mep', externalId: 'again-6' })
    const text = `{"z":1,"${gid(6)}":2,"10":3,"again-6":4,"2":5,"${gid(7)}":6,"a":7}`
    expect((await api.put(id, text)).body).toEqual({
      written: 2,
      matched: 3,
      unmatched: ['z', '10', '2', 'a'],
      deleted: 0,
    })
  })

  it('[LAY-35] writes the last value in the body if several identifiers belong to the same room', async () => {
    const id = await api.layer('NUMBER')
    const path = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces/${room(8).id}/external-ids`
    for (const externalId of ['7', '1007', 'x-8']) {
      await api.stack.send('POST', path, { sourceSystem: `s${externalId}`, externalId })
    }
    const last = async (text: string) => {
      expect((await api.put(id, text)).status).toBe(200)
      return (await api.values(id)).get(room(8).id)
    }
    expect(await last(`{"${gid(8)}":1,"x-8":2}`)).toBe(2)
    expect(await last(`{"x-8":1,"${gid(8)}":2}`)).toBe(2)
    expect(await last('{"x-8":1,"7":2}')).toBe(2)
    expect(await last('{"1007":1,"7":2}')).toBe(2)
    expect(await last('{"7":1,"1007":2,"x-8":3}')).toBe(3)
    expect(await last('{"x-8":1,"1007":2,"x-8":3}')).toBe(3)
    expect(await last('{ "x-8" : 1 ,\n"7":2,"\\u0078-8":3 }')).toBe(3)
  })

  it('[LAY-36, LAY-39] reports that none of the identifiers belongs to this building', async () => {
    const id = await api.layer('NUMBER')
    const { status, body } = await api.put(id, { x: 1 })
    expect(status).toBe(200)
    expect(body).toEqual({
      written: 0,
      matched: 0,
      unmatched: ['x'],
      deleted: 0,
      diagnostics: { reason: 'IDENTIFIERS_NOT_IN_BUILDING' },
    })
    expect((await api.put(id, { x: 1, [gid(0)]: 1 })).body).not.toHaveProperty('diagnostics')
  })

  it('[LAY-40] accepts an empty object', async () => {
    const id = await api.layer('NUMBER')
    await api.put(id, { [gid(0)]: 1 })
    expect((await api.put(id, {})).body).toEqual({ written: 0, matched: 0, unmatched: [], deleted: 0 })
    expect((await api.values(id)).size).toBe(1)
    const cleared = { written: 0, matched: 0, unmatched: [], deleted: 1 }
    expect((await api.put(id, {}, { replace: true })).body).toEqual(cleared)
    expect((await api.values(id)).size).toBe(0)
  })

  it('[LAY-41] accepts any text as an identifier', async () => {
    const id = await api.layer('NUMBER')
    const names = ['__proto__', 'constructor', '', 'toString', 'hasOwnProperty', '{}', 'a\\"b', '\\u0041', '\\ud800']
    const text = `{${names.map((name, i) => `"${name}":${i}`).join()}}`
    const unmatched = names.map((name) => JSON.parse(`"${name}"`))
    expect((await api.put(id, text)).body).toMatchObject({ written: 0, unmatched })
    const path = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces/${room(9).id}/external-ids`
    await api.stack.send('POST', path, { sourceSystem: 'odd', externalId: '__proto__' })
    expect((await api.put(id, '{"__proto__":42,"":1}')).body).toMatchObject({ written: 1, unmatched: [''] })
    expect((await api.values(id)).get(room(9).id)).toBe(42)
    expect(await api.put(id, '{"__proto__":"x"}')).toMatchObject(refusal('VALUE_TYPE_MISMATCH', '__proto__'))
  })

  it('stores values until their room is deleted', async () => {
    const id = await api.layer('NUMBER')
    const spaces = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces`
    const storeyId = (await api.stack.get(`${spaces}/${room(0).id}`)).body.storey.id
    const { body } = await api.stack.send('POST', spaces, { storeyId, name: 'Brief', spaceTypeSlug: 'storage' })
    await api.put(id, { [body.id]: 1, [room(0).id]: 2 }, { keyBy: 'id' })
    expect((await api.stack.send('DELETE', `${spaces}/${body.id}`)).status).toBe(204)
    expect(await api.values(id)).toEqual(new Map([[room(0).id, 2]]))
    expect((await api.put(id, { [body.id]: 1 }, { keyBy: 'id' })).body.unmatched).toEqual([body.id])
  })
})

describe('an upload to a building where nothing can match', () => {
  let bare: LayersApi
  beforeAll(async () => {
    bare = await startLayersApi()
  })
  afterAll(() => bare.stack.close())

  it('[LAY-37, LAY-38] reports that no room has an external id, or that there are no rooms', async () => {
    const { stack } = bare
    const building = `/api/v1/buildings/${stack.other.buildingId}`
    const { body: layer } = await stack.send('POST', `${building}/data-layers`, {
      key: 'ab',
      name: 'x',
      valueType: 'NUMBER',
    })
    const reasonOf = async (more = {}) => {
      const { status, body } = await stack.send('PUT', `${building}/data-layers/${layer.id}/values`, {
        values: { x: 1 },
        ...more,
      })
      return { status, reason: body.diagnostics.reason }
    }
    expect(await reasonOf()).toEqual({ status: 200, reason: 'IDENTIFIERS_NOT_IN_BUILDING' })
    // A client cannot remove the GlobalIds of seeded rooms, and needs many requests to delete the rooms. So the test
    // deletes the GlobalIds and the rooms in the database.
    const { buildingId } = stack.other
    const revise = () => stack.db.run(sql`update buildings set revision = revision + 1 where id = ${buildingId}`)
    await stack.db.run(sql`delete from node_external_ids e using spaces s where s.id = e.node_id
      and e.building_id = ${buildingId}`)
    await revise()
    expect(await reasonOf()).toEqual({ status: 200, reason: 'BUILDING_HAS_NO_EXTERNAL_IDS' })
    expect(await reasonOf({ keyBy: 'id' })).toEqual({ status: 200, reason: 'IDENTIFIERS_NOT_IN_BUILDING' })
    for (const kind of ['point', 'element', 'space']) {
      await stack.db.run(sql`delete from nodes where building_id = ${buildingId} and kind = ${kind}`)
    }
    await revise()
    expect(await reasonOf()).toEqual({ status: 200, reason: 'BUILDING_HAS_NO_SPACES' })
    expect(await reasonOf({ keyBy: 'id' })).toEqual({ status: 200, reason: 'BUILDING_HAS_NO_SPACES' })
  })
})
