import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let building: string
let storey: { id: string; globalId: string }
let source: string
let sources = 0

beforeAll(async () => {
  stack = await startTestStack()
  building = `/api/v1/buildings/${stack.seeded.buildingId}`
  const [first] = stack.building.storeys
  storey = { id: stack.idOf(first!.key), globalId: first!.globalId }
})
afterAll(() => stack.close())
// Each test imports from its own source system.
beforeEach(() => {
  sources += 1
  source = `cafm ${sources}`
})

type Row = Record<string, unknown>
const office = (externalId: string, changes: Row = {}): Row => ({
  externalId,
  storeyId: storey.id,
  spaceType: 'private-office',
  name: `Office ${externalId}`,
  ...changes,
})
const importSpaces = (spaces: unknown[], changes: Row = {}): Promise<Answer> =>
  stack.send('POST', `${building}/import/spaces`, { sourceSystem: source, spaces, ...changes })
const revision = async () => (await stack.get(building)).body.revision as number
const allSpaces = async (): Promise<Row[]> => (await stack.get(`${building}/spaces?limit=1000`)).body.data
const withCode = async (code: string) => (await allSpaces()).find((space) => space.code === code)
const errorsOf = ({ status, body }: Answer) => {
  expect(status).toBe(400)
  return body.errors.map(({ index, pointer, reason }: Row) => [index, pointer, reason])
}

describe('POST …/import/spaces', () => {
  it('[IMP-29] creates and changes spaces, on a storey named by its id or by an external id', async () => {
    const rows = [
      office('1', { code: `R1 ${source}`, areaSqm: 12.5, capacity: 2, isLeasable: true, status: 'vacant' }),
      office('2', { storeyId: null, storeyExternalId: storey.globalId }),
    ]
    expect(await importSpaces(rows)).toMatchObject({ status: 200, body: { created: 2, updated: 0, unchanged: 0 } })
    const made = {
      areaSqm: 12.5,
      capacity: 2,
      isLeasable: true,
      status: 'vacant',
      spaceType: { slug: 'private-office' },
    }
    expect(await withCode(`R1 ${source}`)).toMatchObject({ ...made, sourceSystem: source, externalId: '1' })
    expect((await importSpaces(rows)).body).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
    // Fields that a row does not have stay as they are.
    const renamed = office('1', { name: 'Renamed', capacity: null })
    expect((await importSpaces([renamed])).body).toMatchObject({ updated: 1 })
    expect(await withCode(`R1 ${source}`)).toMatchObject({ ...made, name: 'Renamed', capacity: null })
  })

  it('[IMP-29] accepts CSV with numbers and booleans', async () => {
    const csv = `externalId;storeyId;spaceType;name;code;areaSqm;capacity;isLeasable\n1;${storey.id};lobby;L;C1 ${source};7.25;3;true`
    const url = `${building}/import/spaces?sourceSystem=${encodeURIComponent(source)}`
    const answer = await stack.send('POST', url, csv, undefined, { 'content-type': 'text/csv' })
    expect(answer).toMatchObject({ status: 200, body: { created: 1 } })
    expect(await withCode(`C1 ${source}`)).toMatchObject({ areaSqm: 7.25, capacity: 3, isLeasable: true })
    const bad = await stack.send('POST', url, csv.replace('7.25', 'large').replace('true', 'maybe'), undefined, {
      'content-type': 'text/csv',
    })
    expect(errorsOf(bad).map(([, pointer]: unknown[]) => pointer)).toEqual([
      '/spaces/0/areaSqm',
      '/spaces/0/isLeasable',
    ])
  })

  it('[IMP-29] refuses bad rows and writes nothing', async () => {
    const before = await revision()
    const answer = await importSpaces([
      office('1', { spaceType: 'castle' }),
      office('2', { storeyId: stack.seeded.buildingId }),
      office('3', { areaSqm: -1 }),
      office('4', { storeyId: undefined }),
      office('5'),
    ])
    expect(errorsOf(answer).map(([index, pointer]: unknown[]) => [index, pointer])).toEqual([
      [0, '/spaces/0/spaceType'],
      [1, '/spaces/1/storeyId'],
      [2, '/spaces/2/areaSqm'],
      [3, '/spaces/3/storeyId'],
    ])
    expect(await revision()).toBe(before)
  })
})

describe('matchBy=code', () => {
  const byCode = (rows: Row[], changes: Row = {}) => importSpaces(rows, { matchBy: 'code', ...changes })
  const row = (code: string, changes: Row = {}): Row => {
    const { externalId: _, ...fields } = office('x', { name: `Room ${code}`, code, ...changes })
    return fields
  }

  it('[IMP-30] changes the node that has the code of a row, or creates a node without an external id', async () => {
    const seeded = (await allSpaces())[0]! as Row & { storey: { id: string }; code: string }
    const rows = [row(seeded.code, { storeyId: seeded.storey.id, name: 'By its code' }), row(`NEW ${source}`)]
    expect((await byCode(rows)).body).toMatchObject({ created: 1, updated: 1, unchanged: 0 })
    expect(await withCode(seeded.code)).toMatchObject({ name: 'By its code', externalIds: seeded.externalIds })
    expect(await withCode(`NEW ${source}`)).toMatchObject({ sourceSystem: null, externalIds: [] })
    expect((await byCode(rows)).body).toMatchObject({ unchanged: 2 })
  })

  it('[IMP-30] requires a code in each row, and refuses an external id', async () => {
    const twice = [row(`T ${source}`), row(`T ${source}`)]
    const answer = await byCode([office('1'), { ...row(`E ${source}`), externalId: '1' }, ...twice])
    expect(errorsOf(answer)).toEqual([
      [0, '/spaces/0/code', 'code is required'],
      [1, '/spaces/1/externalId', 'externalId is not allowed in an import that matches rows by code'],
      [3, '/spaces/3/code', `code T ${source} is already used in the row with index 2`],
    ])
    const [element] = (await stack.get(`${building}/elements?limit=1`)).body.data
    expect(errorsOf(await byCode([row(element.code)]))).toEqual([
      [0, '/spaces/0/code', `code ${element.code} belongs to a node of another kind: element`],
    ])
    expect(errorsOf(await importSpaces([row(`N ${source}`)]))).toEqual([
      [0, '/spaces/0/externalId', 'externalId is required'],
    ])
  })

  it('[IMP-30] is accepted for a CSV import, and requires a column named “code”', async () => {
    const send = (header: string) =>
      stack.send(
        'POST',
        `${building}/import/spaces?sourceSystem=csv&matchBy=code&dryRun=true`,
        `${header}\nX,${storey.id},lobby,L`,
        undefined,
        { 'content-type': 'text/csv' },
      )
    expect(await send('code,storeyId,spaceType,name')).toMatchObject({ status: 200, body: { created: 1 } })
    expect((await send('externalId,storeyId,spaceType,name')).body.detail).toContain('the column code is missing')
  })
})

it('[IMP-31] an import lists the changes if listChanges is true, even in a dry run', async () => {
  const rows = [office('1', { code: `D1 ${source}` })]
  const before = await revision()
  const { body } = await importSpaces(rows, { dryRun: true, listChanges: true })
  expect(body).toMatchObject({ created: 1, dryRun: true })
  expect(body.changes).toEqual([
    {
      op: 'create',
      kind: 'space',
      nodeId: expect.any(String),
      before: null,
      after: expect.objectContaining({ code: `D1 ${source}`, name: 'Office 1', storeyId: storey.id }),
    },
  ])
  expect(await revision()).toBe(before)
  await importSpaces(rows)
  const changed = await importSpaces([office('1', { name: 'Renamed' })], { listChanges: true })
  expect(changed.body.changes).toMatchObject([
    { op: 'update', kind: 'space', before: { name: 'Office 1' }, after: { name: 'Renamed' } },
  ])
  // The list equals the diff of the revision.
  const diff = (await stack.get(`${building}/diff?from=${(await revision()) - 1}`)).body
  expect(changed.body.changes).toEqual(diff.changes)
})
