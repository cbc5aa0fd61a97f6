import { LIMITS } from '@storey/contract'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { ORGANIZATION_ID } from '../../testing/tokens.ts'

let realm: TestRealm
let stack: TestStack
let building: string
let space: string
beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  stack = await startTestStack({ sandboxesIssuer: realm.issuer })
  building = `/api/v1/buildings/${stack.seeded.buildingId}`
  space = stack.idOf(stack.building.spaces[0]!.key)
})
afterAll(async () => {
  await stack.close()
  await realm.stop()
})

const CSV = { 'content-type': 'text/csv' }
const sendCsv = (text: string | Buffer, query = 'sourceSystem=csv', headers = CSV) =>
  stack.send('POST', `${building}/import/elements?${query}`, text, undefined, headers)
const revision = async () => (await stack.get(building)).body.revision as number
const header = 'externalId,spaceId,elementType,name'
const find = async (externalId: string) => {
  const { body } = await stack.get(`${building}/elements?limit=1000&spaceId=${space}`)
  return body.data.find((element: { externalId: string }) => element.externalId === externalId)
}

describe('a CSV body', () => {
  it('[IMP-01, IMP-05, IMP-22] creates elements, with the columns in any order', async () => {
    const text = `name,code,externalId,elementType,spaceId\r\n"Pump, ""big""",CSV-1,A1,pump,${space}\r\nÜ,,A2,fan,${space}\r\n`
    expect(await sendCsv(text)).toMatchObject({
      status: 200,
      body: { created: 2, updated: 0, unchanged: 0, dryRun: false },
    })
    expect(await find('A1')).toMatchObject({ name: 'Pump, "big"', code: 'CSV-1', elementType: { slug: 'pump' } })
    expect(await find('A2')).toMatchObject({ name: 'Ü', code: expect.stringMatching(/^FAN-\d+$/) })
    const before = await revision()
    expect((await sendCsv(text)).body).toMatchObject({ unchanged: 2 })
    expect(await revision()).toBe(before)
  })

  it('[IMP-02] creates points', async () => {
    const element = stack.building.elements[0]!.globalId
    const text = `externalId\telementExternalId\tpointType\tname\tquantityKind\tunit\nP1\t${element}\tSENSOR\tT\tTemperature\tK`
    const url = `${building}/import/points?sourceSystem=csv`
    const answer = await stack.send('POST', url, text, undefined, { 'content-type': 'text/csv; charset=UTF-8' })
    expect(answer).toMatchObject({ status: 200, body: { created: 1 } })
  })

  it('[IMP-08] writes nothing in a dry run', async () => {
    const before = await revision()
    const { body } = await sendCsv(`${header}\nD1,${space},pump,Pump`, 'sourceSystem=csv&dryRun=true')
    expect(body).toEqual({ created: 1, updated: 0, unchanged: 0, dryRun: true })
    expect(await revision()).toBe(before)
  })

  it('is accepted without rows', async () => {
    expect(await sendCsv(header)).toMatchObject({ status: 200, body: { created: 0, unchanged: 0 } })
  })

  it('[IMP-07] is refused with a list of its bad rows, including rows with too many or too few cells', async () => {
    const before = await revision()
    const lines = [`B0,${space},pump,Pump`, `B1,${space},pump,`, `B2,${space},pump`, `B3,${space},pump,A,b`]
    const { status, body } = await sendCsv([header, ...lines].join('\n'))
    expect(status).toBe(400)
    expect(body.detail).toBe(
      '3 of 4 rows cannot be imported, so none was imported: the first violation is in elements/1: name is required',
    )
    const common = { in: 'body', detail: expect.any(String) }
    expect(body.errors).toEqual([
      { index: 1, externalId: 'B1', reason: 'name is required', pointer: '/elements/1/name', ...common },
      {
        index: 2,
        externalId: 'B2',
        reason: 'the row has 3 cells where the header has 4',
        pointer: '/elements/2',
        ...common,
      },
      {
        index: 3,
        externalId: 'B3',
        reason: 'the row has 5 cells where the header has 4',
        pointer: '/elements/3',
        ...common,
      },
    ])
    expect(await revision()).toBe(before)
  })

  it('[IMP-03] has at most 10000 rows', async () => {
    const lines = Array.from({ length: LIMITS.bulkImportRows }, (_, i) => `T${i},${space},pump,Pump`)
    const text = [header, ...lines].join('\n')
    expect((await sendCsv(text, 'sourceSystem=csv&dryRun=true')).body).toMatchObject({ created: 10_000 })
    const refused = await sendCsv(`${text}\nT,${space},pump,Pump`)
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/elements', in: 'body' }] } })
  })

  it.each([
    ['no sourceSystem', 'dryRun=true', '/sourceSystem'],
    ['an empty sourceSystem', 'sourceSystem=', '/sourceSystem'],
    ['source system ifc', 'sourceSystem=IFC', '/sourceSystem'],
    ['a dryRun that is neither true nor false', 'sourceSystem=csv&dryRun=1', '/dryRun'],
    ['an unknown parameter', 'sourceSystem=csv&delimiter=x', '/delimiter'],
  ])('is refused with %s', async (_, query, pointer) => {
    const refused = await sendCsv(`${header}\nA9,${space},pump,Pump`, query)
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0]).toMatchObject({ pointer, in: 'query' })
  })

  it.each([
    ['is not UTF-8', Buffer.from([0x6e, 0xff, 0x0a]), 'not valid UTF-8'],
    ['contains a NUL', `${header}\nA\0,${space},pump,Pump`, 'NUL'],
    ['is empty', '', 'no header line'],
    ['lacks a column', 'externalId,elementType,spaceId\n', 'the column name is missing'],
  ])('is refused if it %s', async (_, text, detail) => {
    const refused = await sendCsv(text)
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect(refused.body.detail).toContain(detail)
  })
})

describe('the routes of bulk imports', () => {
  const paths = ['spaces', 'elements', 'points'].map((list) => `import/${list}`)
  const bearer = async (role: string) =>
    `Bearer ${await realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles: [role] } })}`

  it.each(paths)('admit accountants, managers and admins only: %s', async (path) => {
    const body = { sourceSystem: 'csv', [path.slice('import/'.length)]: [] }
    for (const [role, status] of Object.entries({
      accountant: 200,
      manager: 200,
      admin: 200,
      user: 403,
      'building-graph-writer': 403,
    })) {
      const answer = await stack.send('POST', `${building}/${path}`, body, await bearer(role))
      expect(answer.status, role).toBe(status)
    }
    const refused = await stack.send('POST', `${building}/${path}`, 'x', await bearer('user'), CSV)
    expect(refused).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } })
    expect((await stack.send('POST', `${building}/${path}`, body, null)).status).toBe(401)
    expect((await stack.send('POST', `${building}/${path}`, 'x', null, CSV)).status).toBe(401)
  })

  it.each(paths)('refuse a token of another tenant and a token for another building: %s', async (path) => {
    const body = { sourceSystem: 'csv', [path.slice('import/'.length)]: [] }
    const roles = { realm_access: { roles: ['admin'] } }
    for (const claims of [
      { tenant_id: 'org_other', ...roles },
      { tenant_id: ORGANIZATION_ID, building_ids: [stack.other.buildingId], ...roles },
    ]) {
      const answer = await stack.send('POST', `${building}/${path}`, body, `Bearer ${await realm.sign(claims)}`)
      expect(answer).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } })
    }
  })

  it('refuse other media types, other character sets and compressed bodies, and name what they accept', async () => {
    const send = (headers: Record<string, string>, path = 'import/elements') =>
      stack.send('POST', `${building}/${path}`, 'a,b', undefined, headers)
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'text/csvx' }]) {
      const detail = 'Send the body as application/json or text/csv'
      expect(await send(headers)).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE', detail } })
    }
    for (const headers of [{ ...CSV, 'content-encoding': 'gzip' }, { 'content-type': 'text/csv; charset=latin1' }]) {
      const detail = 'Send the body as text/csv in UTF-8, and not compressed'
      expect(await send(headers)).toMatchObject({ status: 415, body: { detail } })
    }
    const detail = 'Send the body as application/json'
    expect(await send(CSV, 'elements')).toMatchObject({ status: 415, body: { detail } })
  })

  it('refuse a body of more than 10 MB', async () => {
    const refused = await sendCsv(`${header}\n${'x'.repeat(LIMITS.bodyBytes)}`)
    expect(refused).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } })
  })

  it('are described in the OpenAPI document, with both content types and the fields of a row', async () => {
    const { body } = await stack.get('/api/v1/openapi.json', null)
    const operation = body.paths['/api/v1/buildings/{buildingId}/import/elements'].post
    expect(operation).toMatchObject({ 'x-access': 'data-import.sync:write', 'x-roles': expect.any(Array) })
    expect(Object.keys(operation.requestBody.content)).toEqual(['application/json', 'text/csv'])
    const json = operation.requestBody.content['application/json'].schema
    expect(json.properties.elements).toMatchObject({ maxItems: 10_000 })
    expect(json.properties.elements.items.required).toEqual(['elementType', 'name'])
  })
})
