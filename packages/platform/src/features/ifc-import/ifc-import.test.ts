import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ElementRecord, ImportRecord, SpaceRecord, StoreyRecord } from '@storey/contract'
import { globalIdFor, type IfcFileSpec, ifcFile } from '@storey/ifc/testing'
import { systemClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { type Log, silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGraph } from '../../graph/open-graph.ts'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'
import { createImportQueue } from './import-queue.ts'

let stack: TestStack
let base: string
beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

const STEP = { 'content-type': 'application/x-step' }

const upload = (file: string | Buffer, query = '', headers: Record<string, string> = STEP) =>
  stack.send('POST', `${base}/import/ifc${query}`, file, undefined, headers)

async function untilDone(importId: string, at = stack): Promise<ImportRecord> {
  for (;;) {
    const { body } = await at.get(`/api/v1/buildings/${at.seeded.buildingId}/imports/${importId}`)
    if (body.status === 'succeeded' || body.status === 'failed') return body
    expect(['queued', 'running']).toContain(body.status)
    await sleep(100)
  }
}

async function importFile(file: string | Buffer, query = ''): Promise<ImportRecord> {
  const { status, body } = await upload(file, query)
  expect(status, JSON.stringify(body)).toBe(202)
  return untilDone(body.importId)
}

const revision = async () => (await stack.get(base)).body.revision
const storeys = async (): Promise<StoreyRecord[]> => (await stack.get(`${base}/storeys?limit=200`)).body.data
const spaces = async (): Promise<SpaceRecord[]> => (await stack.get(`${base}/spaces?limit=1000`)).body.data
const elements = async (): Promise<ElementRecord[]> => (await stack.get(`${base}/elements?limit=1000`)).body.data
const withGlobalId = <T extends { externalIds: { externalId: string }[] }>(list: T[], globalId: string) =>
  list.find((node) => node.externalIds.some((id) => id.externalId === globalId))

/** A house of two storeys, in millimetres. */
const house = (discipline = 'architecture'): IfcFileSpec => ({
  schema: 'IFC4',
  lengthUnit: 'MILLIMETRE',
  discipline,
  storeys: [
    {
      name: 'Level 1',
      elevation: 0,
      globalId: globalIdFor(discipline, 'level 1'),
      spaces: [
        {
          name: '101',
          longName: 'Entrance lobby',
          globalId: globalIdFor(discipline, '101'),
          outline: [
            [0, 0],
            [6000, 0],
            [6000, 4000],
            [0, 4000],
          ],
          elements: [{ ifcClass: 'IfcAirTerminal', name: 'Diffuser', globalId: globalIdFor(discipline, 'diffuser') }],
        },
        { name: '102', longName: 'Meeting', globalId: globalIdFor(discipline, '102') },
      ],
      elements: [{ ifcClass: 'IfcPump', name: 'Pump', tag: 'P-01', globalId: globalIdFor(discipline, 'pump') }],
    },
    { name: 'Level 2', elevation: 3500, globalId: globalIdFor(discipline, 'level 2') },
  ],
})

describe('POST …/import/ifc', () => {
  it('[IMP-11, IMP-14, IMP-15, IMP-16] responds with 202, and creates the storeys, rooms and equipment of the model', async () => {
    const accepted = await upload(ifcFile(house()))
    expect(accepted).toMatchObject({ status: 202, body: { importId: expect.any(String), status: 'queued' } })
    expect(accepted.headers.location).toBe(`${base}/imports/${accepted.body.importId}`)
    const done = await untilDone(accepted.body.importId)
    expect(done).toMatchObject({
      status: 'succeeded',
      schema: 'IFC4',
      replace: false,
      failureReason: null,
      revision: await revision(),
      counts: {
        storeys: { created: 2, updated: 0, unchanged: 0, removed: 0 },
        spaces: { created: 2, updated: 0, unchanged: 0, removed: 0 },
        elements: { created: 2, updated: 0, unchanged: 0, removed: 0 },
      },
      removed: [],
    })
    const level = withGlobalId(await storeys(), globalIdFor('architecture', 'level 2'))
    expect(level).toMatchObject({ name: 'Level 2', elevationM: 3.5, index: 1, sourceSystem: 'ifc' })
    const room = withGlobalId(await spaces(), globalIdFor('architecture', '101'))!
    expect(room).toMatchObject({
      code: '101',
      name: 'Entrance lobby',
      spaceType: { slug: 'lobby' },
      sourceSystem: 'ifc',
      storey: { name: 'Level 1' },
      areaSqm: 24,
    })
    expect(room.polygon).toHaveLength(4)
    const all = await elements()
    const diffuser = withGlobalId(all, globalIdFor('architecture', 'diffuser'))!
    expect(diffuser).toMatchObject({ spaceId: room.id, elementType: { slug: 'diffuser' }, sourceSystem: 'ifc' })
    const pump = withGlobalId(all, globalIdFor('architecture', 'pump'))!
    expect(pump).toMatchObject({ code: 'P-01', spaceId: null, storeyId: room.storey.id })
  })

  it('[IMP-17] creates no node twice, and changes nothing when the same file is imported again', async () => {
    await importFile(ifcFile(house()))
    const before = { revision: await revision(), graph: (await stack.get(`${base}/graph`)).body }
    const again = await importFile(ifcFile(house()))
    expect(again).toMatchObject({
      status: 'succeeded',
      revision: null,
      counts: {
        storeys: { unchanged: 2, created: 0, updated: 0 },
        spaces: { unchanged: 2 },
        elements: { unchanged: 2 },
      },
    })
    expect({ revision: await revision(), graph: (await stack.get(`${base}/graph`)).body }).toEqual(before)
  })

  it('applies the names of a newer file of the same model, and keeps the capacity and the type that a client set', async () => {
    await importFile(ifcFile(house()))
    const room = withGlobalId(await spaces(), globalIdFor('architecture', '102'))!
    await stack.send('PATCH', `${base}/spaces/${room.id}`, { capacity: 12, spaceTypeSlug: 'training-room' })
    const newer = house()
    newer.storeys[0]!.spaces![1]!.longName = 'Seminar'
    const done = await importFile(ifcFile(newer))
    expect(done.counts!.spaces).toMatchObject({ updated: 1, unchanged: 1 })
    const changed = (await stack.get(`${base}/spaces/${room.id}`)).body
    expect(changed).toMatchObject({ name: 'Seminar', capacity: 12, spaceType: { slug: 'training-room' } })
    await importFile(ifcFile(house()))
  })

  it('[IMP-18] adds the GlobalIds of a second model to the storeys and rooms that both models have', async () => {
    await importFile(ifcFile(house()))
    const before = await spaces()
    const second = house('electrical')
    second.storeys[0]!.spaces![0]!.longName = 'Another name'
    second.storeys[0]!.spaces!.push({ name: '199', globalId: globalIdFor('electrical', '199') })
    const done = await importFile(ifcFile(second))
    expect(done.counts).toMatchObject({
      storeys: { created: 0, updated: 2 },
      spaces: { created: 1, updated: 2 },
      elements: { created: 2 },
    })
    const after = await spaces()
    expect(after).toHaveLength(before.length + 1)
    const room = withGlobalId(after, globalIdFor('electrical', '101'))!
    expect(room).toMatchObject({ name: 'Entrance lobby', externalId: globalIdFor('architecture', '101') })
    expect(room.externalIds).toHaveLength(2)
    const terminal = withGlobalId(await elements(), globalIdFor('electrical', 'diffuser'))!
    expect(terminal.spaceId).toBe(room.id)
    const same = await revision()
    for (const file of [second, house()]) expect((await importFile(ifcFile(file))).revision).toBeNull()
    expect(await revision()).toBe(same)
  })

  it('[IMP-18] finds a shared room by its number in the model, whatever its code in the graph is', async () => {
    const towers = (discipline: string): IfcFileSpec => ({
      discipline,
      storeys: [0, 1].map((floor) => ({
        name: `Tower ${floor}`,
        elevation: floor * 3,
        spaces: ['WC', '1'].map((name) => ({
          name,
          longName: 'Room',
          globalId: globalIdFor(discipline, `${floor}`, name),
        })),
      })),
    })
    await importFile(ifcFile(towers('one')))
    const rooms = async () => (await spaces()).filter(({ storey }) => storey.name.startsWith('Tower'))
    const first = (await rooms()).find(({ code }) => code === 'WC')!
    await stack.send('PATCH', `${base}/spaces/${first.id}`, { code: 'Renamed' })
    const done = await importFile(ifcFile(towers('two')))
    expect(done.counts!.spaces).toMatchObject({ created: 0, updated: 4 })
    const after = await rooms()
    expect(after).toHaveLength(4)
    for (const room of after) expect(room.externalIds).toHaveLength(2)
    for (const floor of ['0', '1']) {
      const one = withGlobalId(after, globalIdFor('one', floor, 'WC'))!
      expect(withGlobalId(after, globalIdFor('two', floor, 'WC'))!.id).toBe(one.id)
    }
  })

  it('[IMP-18] finds a shared room by its name if the second model has no number for it', async () => {
    const garage = (discipline: string, names: { name?: string; longName: string }): IfcFileSpec => ({
      discipline,
      storeys: [
        { name: 'Basement', elevation: -3, spaces: [{ ...names, globalId: globalIdFor(discipline, 'garage') }] },
      ],
    })
    await importFile(ifcFile(garage('first', { name: 'B05', longName: 'Garage' })))
    await importFile(ifcFile(garage('second', { longName: 'Garage' })))
    const shared = withGlobalId(await spaces(), globalIdFor('second', 'garage'))!
    expect(shared.externalIds.map(({ externalId }) => externalId)).toContain(globalIdFor('first', 'garage'))
  })

  it('[IMP-14] leaves out the rooms of a storey that is left out, and does not move their equipment', async () => {
    await importFile(ifcFile(house()))
    const before = withGlobalId(await elements(), globalIdFor('architecture', 'diffuser'))!
    const other = house()
    // The storey has the GlobalId of the pump, as in the file of a faulty program.
    other.storeys[0]!.globalId = globalIdFor('architecture', 'pump')
    other.storeys[0]!.elements = []
    const done = await importFile(ifcFile(other))
    const reasons = done.leftOut.map(({ name, reason }) => [name, reason])
    expect(reasons).toEqual(
      expect.arrayContaining([
        ['Level 1', 'its GlobalId belongs to a node of another kind: element'],
        ['101', 'its storey is left out'],
        ['102', 'its storey is left out'],
      ]),
    )
    expect(done.counts).toMatchObject({ storeys: { unchanged: 1 }, spaces: { unchanged: 0 } })
    const after = withGlobalId(await elements(), globalIdFor('architecture', 'diffuser'))!
    expect(after.spaceId).toBe(before.spaceId)
  })
})

describe('replace=true', () => {
  it('[IMP-19, IMP-20] replaces all nodes of models; nodes of clients are moved or listed as removed', async () => {
    await importFile(ifcFile(house()))
    const [before, beforeElements] = [await spaces(), await elements()]
    const kept = withGlobalId(before, globalIdFor('architecture', '101'))!
    const lost = before.find((space) => space.code === stack.building.spaces[0]!.code)!
    const pump = withGlobalId(beforeElements, globalIdFor('architecture', 'pump'))!
    const own = (name: string, spaceId: string) =>
      stack.send('POST', `${base}/elements`, {
        name,
        spaceId,
        elementTypeSlug: 'sensor',
        sourceSystem: 'mine',
        externalId: name,
      })
    const mine = (await own('stays', kept.id)).body
    const gone = (await own('goes', lost.id)).body
    const point = { pointType: 'SENSOR', name: 'T', quantityKind: 'Temperature', unit: 'DEG_C' }
    const onPump = (await stack.send('POST', `${base}/points`, { ...point, elementId: pump.id })).body
    const onGone = (await stack.send('POST', `${base}/points`, { ...point, elementId: gone.id })).body
    await stack.send('POST', `${base}/spaces/${kept.id}/external-ids`, { sourceSystem: 'cafm', externalId: 'R 101' })

    const layer = { key: 'cleaned', name: 'Cleaned', valueType: 'BOOLEAN' }
    const layers = `${base}/data-layers/${(await stack.send('POST', `${base}/data-layers`, layer)).body.id}/values`
    await stack.send('PUT', layers, { keyBy: 'id', values: { [kept.id]: true, [lost.id]: false } })

    const done = await importFile(ifcFile(house()), '?replace=true')
    expect(done).toMatchObject({ status: 'succeeded', replace: true, revision: await revision() })
    const after = await spaces()
    expect(after).toHaveLength(2)
    for (const space of after) {
      expect(before.map(({ id }) => id)).not.toContain(space.id)
      const was = withGlobalId(before, space.externalId!)!
      expect(was.code).toBe(space.code)
    }
    expect((await stack.get(`${base}/spaces/${kept.id}`)).status).toBe(404)
    const successor = withGlobalId(after, globalIdFor('architecture', '101'))!
    expect(successor.externalIds).toContainEqual({ sourceSystem: 'cafm', externalId: 'R 101' })
    expect((await stack.get(layers)).body.data).toMatchObject([{ entityId: successor.id, value: true }])
    expect((await stack.get(`${base}/elements/${mine.id}`)).body).toMatchObject({
      spaceId: successor.id,
      code: mine.code,
    })
    const newPump = withGlobalId(await elements(), globalIdFor('architecture', 'pump'))!
    expect(newPump.id).not.toBe(pump.id)
    expect((await stack.get(`${base}/points/${onPump.id}`)).body.elementId).toBe(newPump.id)
    for (const path of [`elements/${gone.id}`, `points/${onGone.id}`]) {
      expect((await stack.get(`${base}/${path}`)).status, path).toBe(404)
    }
    expect(done.removed.map(({ id, kind }) => ({ id, kind }))).toEqual([
      { id: gone.id, kind: 'element' },
      { id: onGone.id, kind: 'point' },
    ])
    expect(done.removed[0]).toMatchObject({
      sourceSystem: 'mine',
      externalId: 'goes',
      reason: 'the model has no space with the GlobalId of its previous space',
    })
    expect(done.removed[1]).toMatchObject({ reason: 'its element was removed' })
    expect(done.counts!.points.removed).toBe(stack.building.points.length + 1)
    expect((await stack.get(`${base}/graph?at=1`)).body.points).toHaveLength(stack.building.points.length)
  })

  it('[IMP-40] keeps the external ids of clients, even one that equals the GlobalId', async () => {
    await importFile(ifcFile(house()), '?replace=true')
    const globalId = globalIdFor('architecture', '101')
    const { id } = withGlobalId(await spaces(), globalId)!
    const own = { sourceSystem: 'cafm', externalId: globalId }
    expect((await stack.send('POST', `${base}/spaces/${id}/external-ids`, own)).status).toBe(201)
    const done = await importFile(ifcFile(house()), '?replace=true')
    expect(done.status).toBe('succeeded')
    const successor = (await spaces()).find(({ code }) => code === '101')!
    expect(successor.id).not.toBe(id)
    expect(successor.externalIds[0]).toEqual({ sourceSystem: 'ifc', externalId: globalId })
    expect(successor.externalIds).toContainEqual(own)
  })

  it('[IMP-19, IMP-20] removes a node whose GlobalId belongs to a node of another kind in the new model', async () => {
    const [meeting, pump] = [globalIdFor('architecture', '102'), globalIdFor('architecture', 'pump')]
    const previous = house()
    previous.storeys[0]!.spaces![1]!.name = 'R-102'
    await importFile(ifcFile(previous), '?replace=true')
    const spaceId = withGlobalId(await spaces(), meeting)!.id
    const elementId = withGlobalId(await elements(), pump)!.id
    const sensor = { name: 'S', spaceId, elementTypeSlug: 'sensor', sourceSystem: 'mine', externalId: 'in 102' }
    const mine = (await stack.send('POST', `${base}/elements`, sensor)).body
    const layer = { key: 'inspected', name: 'Inspected', valueType: 'BOOLEAN' }
    const layers = `${base}/data-layers/${(await stack.send('POST', `${base}/data-layers`, layer)).body.id}/values`
    await stack.send('PUT', layers, { keyBy: 'id', values: { [spaceId]: true } })
    const { buildingId } = stack.seeded
    const request = { buildingId, title: 'Leak', spaceId, elementId }
    const opened = await stack.send('POST', '/api/service-desk/requests', request)
    expect(opened.status, JSON.stringify(opened.body)).toBe(201)

    const changed = house()
    const [level] = changed.storeys
    level!.spaces![1] = { name: 'P-01', globalId: pump }
    level!.elements = [{ ifcClass: 'IfcPump', name: 'Pump', tag: 'R-102', globalId: meeting }]
    const done = await importFile(ifcFile(changed), '?replace=true')
    const reason = 'the model has no space with the GlobalId of its previous space'
    expect(done.status).toBe('succeeded')
    expect(done.removed).toContainEqual(expect.objectContaining({ id: mine.id, reason }))
    expect(withGlobalId(await elements(), meeting)).toMatchObject({ name: 'Pump', code: 'R-102' })
    expect(withGlobalId(await spaces(), pump)).toMatchObject({ name: 'P-01', code: 'P-01' })
    expect((await stack.get(layers)).body.data).toEqual([])
    // A service request keeps the ids of its space and its element, even after both nodes are deleted.
    const { body } = await stack.get(`/api/service-desk/requests/${opened.body.id}`)
    expect(body).toMatchObject({ spaceId, elementId })
  })

  it('is the only way to ask for a replacement: replace=yes is refused', async () => {
    const { status, body } = await upload(ifcFile(house()), '?replace=yes')
    expect({ status, pointer: body.errors?.[0].pointer }).toEqual({ status: 400, pointer: '/replace' })
  })
})

const farRoom = (x: number): IfcFileSpec => ({
  storeys: [
    {
      name: 'Level 1',
      spaces: [
        {
          name: '1',
          outline: [
            [0, 0],
            [x, 0],
            [x, x],
            [0, x],
          ],
        },
      ],
    },
  ],
})

describe('a file that cannot be imported', () => {
  const whole = ifcFile(house('other'))
  it.each([
    ['empty', '', /empty/],
    ['truncated', whole.slice(0, whole.length / 2), /incomplete/],
    ['of another schema', whole.replace(/IFC4/, 'IFC5'), /IFC5/],
    ['with a number out of range', whole.replace(/3500\.?\d*/, '1.E400'), /number/],
    ['with a storey at an impossible elevation', ifcFile({ storeys: [{ name: 'Level 1', elevation: 1e200 }] }), /./],
    ['with a room too far away', ifcFile(farRoom(1e30)), /km/],
    ['with a room at impossible coordinates', ifcFile(farRoom(1e60)), /number/],
    ['without a project', whole.replace(/#\d+=IFCPROJECT\(.*\);/, ''), /project/],
    ['no model at all', '{"type": "ifcJSON"}', /./],
    ['zeros', '\0'.repeat(10_000), /./],
  ])('[IMP-21] fails with a message and writes nothing, while the stack responds: %s', async (_, file, sentence) => {
    const before = await revision()
    const { body } = await upload(file)
    for (let i = 0; i < 3; i++) expect((await stack.get(base)).status).toBe(200)
    const done = await untilDone(body.importId)
    expect(done).toMatchObject({ status: 'failed', revision: null, counts: null, leftOut: [] })
    expect(done.failureReason).toMatch(sentence)
    expect(done.failureReason).not.toMatch(/\/|\.ts|Error/)
    expect(await revision()).toBe(before)
  })

  it.each([['application/json'], ['text/plain'], ['multipart/form-data; boundary=x'], ['']])(
    '[IMP-12] is refused for its content type: %s',
    async (type) => {
      const answer = await upload(whole, '', { 'content-type': type })
      expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
    },
  )

  it('[IMP-12] is refused if it is compressed; an uncompressed application/octet-stream is accepted', async () => {
    expect((await upload(whole, '', { 'content-type': 'application/octet-stream' })).status).toBe(202)
    expect((await upload(whole, '', { ...STEP, 'content-encoding': 'gzip' })).status).toBe(415)
  })

  it('[IMP-13] is refused if its declared size is too large', async () => {
    const declared = await upload('x', '', { ...STEP, 'content-length': String(256 * 1024 * 1024 + 1) })
    expect(declared).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } })
  })

  it('is refused without a credential, for an unknown building, and with an unknown parameter', async () => {
    expect((await stack.send('POST', `${base}/import/ifc`, whole, null, STEP)).status).toBe(401)
    const elsewhere = base.replace(stack.seeded.buildingId, '0191b6a0-0000-7000-8000-000000000000')
    expect((await stack.send('POST', `${elsewhere}/import/ifc`, whole, undefined, STEP)).status).toBe(404)
    expect((await upload(whole, '?dryRun=true')).body.errors).toMatchObject([{ pointer: '/dryRun' }])
  })
})

describe('imports', () => {
  it('are listed, newest first, and read one by one, each under its own building', async () => {
    const done = await importFile(ifcFile(house()))
    const { body } = await stack.get(`${base}/imports`)
    expect(body.data[0]).toMatchObject({ importId: done.importId, status: 'succeeded' })
    expect(body.data[0]).not.toHaveProperty('leftOut')
    const elsewhere = `/api/v1/buildings/${stack.other.buildingId}/imports`
    expect((await stack.get(elsewhere)).body.total).toBe(0)
    for (const path of [
      `${elsewhere}/${done.importId}`,
      `${base}/imports/nothing`,
      `${base}/imports/${stack.seeded.buildingId}`,
    ]) {
      expect((await stack.get(path)).status, path).toBe(404)
    }
  })

  it('[IMP-32] have the name of the file, if the upload had one', async () => {
    const named = await importFile(ifcFile(house()), '?fileName=Haus%20%C3%9C.ifc')
    expect(named.fileName).toBe('Haus Ü.ifc')
    const { body } = await stack.get(`${base}/imports?limit=1`)
    expect(body.data[0]).toMatchObject({ importId: named.importId, fileName: 'Haus Ü.ifc' })
    expect((await importFile(ifcFile(house()))).fileName).toBeNull()
    expect((await upload(ifcFile(house()), '?fileName=a%0Ab')).body.errors).toMatchObject([{ pointer: '/fileName' }])
  })

  it('[IMP-14] report each entity that was left out, with the reason', async () => {
    const model = house()
    model.storeys[0]!.elements!.push({ ifcClass: 'IfcWall', name: 'A wall', globalId: globalIdFor('wall') })
    const done = await importFile(ifcFile(model))
    const wall = done.leftOut.find(({ globalId }) => globalId === globalIdFor('wall'))
    expect(wall).toMatchObject({ ifcClass: 'IfcWall', name: 'A wall', reason: expect.stringMatching(/\w+ \w+/) })
    expect(done.leftOutTotal).toBe(done.leftOut.length)
    const { body } = await stack.get(`${base}/imports/${done.importId}/left-out?limit=1`)
    expect(body).toMatchObject({ total: done.leftOutTotal, limit: 1, data: [done.leftOut[0]] })
    const far = await stack.get(`${base}/imports/${done.importId}/left-out?offset=2147483648`)
    expect(far).toMatchObject({ status: 200, body: { total: done.leftOutTotal, data: [] } })
  })

  it('leave no file behind', async () => {
    await importFile(ifcFile(house()))
    await expect.poll(() => readdirSync(join(stack.folder, 'imports'))).toEqual([])
  })

  it('[IMP-23] that a process left unfinished are continued by the next process, and fail after two attempts', async () => {
    const ids = ['0191b6a0-2222-7000-8000-00000000000', '0191b6a0-3333-7000-8000-00000000000'].map((id) => `${id}1`)
    const folder = join(stack.folder, 'imports')
    mkdirSync(folder, { recursive: true })
    for (const [i, id] of ids.entries()) {
      writeFileSync(join(folder, `${id}.ifc`), ifcFile(house()))
      await stack.db.run(sql`
        insert into imports (id, building_id, status, replace, actor, size_bytes, attempts, created_at)
        values (${id}, ${stack.seeded.buildingId}, 'running', false, 'test', 1, ${i === 0 ? 1 : 2}, now())`)
    }
    writeFileSync(join(folder, 'leftover.part'), 'x')
    await stack.restart()
    expect(await untilDone(ids[0]!)).toMatchObject({ status: 'succeeded' })
    expect(await untilDone(ids[1]!)).toMatchObject({ status: 'failed', failureReason: expect.stringMatching(/twice/) })
    await expect.poll(() => readdirSync(folder)).toEqual([])
  })

  /** Inserts an import that another process runs, with its file. */
  async function running(id: string, leasedForMs: number): Promise<void> {
    const folder = join(stack.folder, 'imports')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${id}.ifc`), ifcFile(house()))
    await stack.db.run(sql`
      insert into imports (id, building_id, status, replace, actor, size_bytes, attempts, created_at, lease_holder, leased_until)
      values (${id}, ${stack.seeded.buildingId}, 'running', false, 'test', 1, 1, now(), ${randomUUID()},
        now() + ${leasedForMs} * interval '1 millisecond')`)
  }

  it('[IMP-23] are retried after a control plane restart, and fail after two attempts without a restart', async () => {
    // The queue of a stack without imports is idle, so it takes none of these imports.
    const own = await startTestStack()
    const { db } = own
    const [killed, ended] = [randomUUID(), randomUUID()]
    const folder = temporaryFolder('storey-imports')
    const serviceRun = 'aaaaaaaa'
    // Both imports had two attempts. The last attempt of `killed` was in an earlier run of the control plane, and the
    // last attempt of `ended` was in this run.
    for (const [id, run] of [
      [killed, 'bbbbbbbb'],
      [ended, serviceRun],
    ] as const) {
      writeFileSync(join(folder, `${id}.ifc`), ifcFile(house()))
      await db.run(sql`
        insert into imports (id, building_id, status, replace, actor, size_bytes, attempts, created_at, lease_holder, leased_until)
        values (${id}, ${own.seeded.buildingId}, 'running', false, 'test', 1, 2, now(), ${run + randomUUID().slice(8)}, now())`)
    }
    const parts = { db, graph: openGraph(db, systemClock), clock: systemClock, log: silentLog, folder, serviceRun }
    const queue = createImportQueue({ ...parts, detachData: async () => async () => undefined })
    await queue.start()
    expect(await untilDone(killed, own)).toMatchObject({ status: 'succeeded' })
    expect(await untilDone(ended, own)).toMatchObject({
      status: 'failed',
      failureReason: expect.stringMatching(/twice/),
    })
    await queue.close()
    await own.close()
  })

  it('that fail unexpectedly end as failed with an internal error, whose cause is logged', async () => {
    const own = await startTestStack()
    const { db } = own
    const id = randomUUID()
    await db.run(sql`
      insert into imports (id, building_id, status, replace, actor, size_bytes, attempts, created_at)
      values (${id}, ${own.seeded.buildingId}, 'queued', false, 'test', 1, 0, now())`)
    const logged: { err: Error; importId: string }[] = []
    const log = { ...silentLog, error: (fields: (typeof logged)[number]) => void logged.push(fields) } as unknown as Log
    const parts = { db, graph: openGraph(db, systemClock), clock: systemClock, log, serviceRun: '00000000' }
    // The folder has no file of the import.
    const folder = temporaryFolder('storey-imports')
    const queue = createImportQueue({ ...parts, folder, detachData: async () => async () => undefined })
    await queue.start()
    expect(await untilDone(id, own)).toMatchObject({
      status: 'failed',
      failureReason: 'The model could not be read because of an internal error',
    })
    expect(logged).toMatchObject([{ importId: id, err: { cause: { message: expect.stringContaining('ENOENT') } } }])
    await queue.close()
    await own.close()
  })

  it('[IMP-26] that another process runs are not taken over until the lease ends', async () => {
    const [live, dead] = [randomUUID(), randomUUID()]
    await running(dead, 200)
    await running(live, 50_000)
    await stack.restart()
    expect(await untilDone(dead)).toMatchObject({ status: 'succeeded' })
    expect((await stack.get(`${base}/imports/${live}`)).body).toMatchObject({ status: 'running' })
    await stack.db.run(sql`update imports set leased_until = now() where id = ${live}`)
    await importFile(ifcFile(house()))
    expect(await untilDone(live)).toMatchObject({ status: 'succeeded' })
  })

  it('[IMP-34] are applied in the order in which they were accepted, even after a crash', async () => {
    const interrupted = randomUUID()
    await running(interrupted, 50_000)
    const { body: newer } = await upload(ifcFile(house()), '?replace=true')
    await sleep(500)
    expect((await stack.get(`${base}/imports/${newer.importId}`)).body).toMatchObject({ status: 'queued' })
    await stack.db.run(sql`update imports set leased_until = now() where id = ${interrupted}`)
    await upload(ifcFile(house()), '?replace=true')
    const [first, second] = [await untilDone(interrupted), await untilDone(newer.importId)]
    expect([first.status, second.status]).toEqual(['succeeded', 'succeeded'])
    expect(Date.parse(second.startedAt!)).toBeGreaterThanOrEqual(Date.parse(first.finishedAt!))
  })

  it('[GRF-35] with replace=true fail with the reason if the nodes of the building would take too much memory', async () => {
    const own = await startTestStack()
    const path = `/api/v1/buildings/${own.seeded.buildingId}`
    const polygon = `{"polygon": [${Array(150_000).fill('[0,1]').join(',')}], `
    await own.db.run(sql`
      update nodes set state = (${polygon}::text || substr((state::jsonb - 'polygon')::text, 2))::json
      where kind = 'space' and id = any(array(select id from spaces where building_id = ${own.seeded.buildingId} limit 22))`)
    const { body } = await own.send('POST', `${path}/import/ifc?replace=true`, ifcFile(house()), undefined, STEP)
    const { status, failureReason } = await untilDone(body.importId, own)
    expect(status).toBe('failed')
    expect(failureReason).toMatch(
      /^The nodes that this change reads take \d+ MB of memory, and at most 256 MB are allowed/,
    )
    await own.close()
  })

  it('[IMP-27] continue after every outage of the database', async () => {
    const own = await startTestStack()
    const { db } = own
    const graph = openGraph(db, systemClock)
    let outages = 3
    const change: typeof graph.change = (...work) => {
      if (outages-- > 0) return Promise.reject(Object.assign(new Error('server closed'), { code: '57P01' }))
      return graph.change(...work)
    }
    const id = randomUUID()
    const folder = temporaryFolder('storey-imports')
    writeFileSync(join(folder, `${id}.ifc`), ifcFile(house()))
    await db.run(sql`
      insert into imports (id, building_id, status, replace, actor, size_bytes, attempts, created_at)
      values (${id}, ${own.seeded.buildingId}, 'queued', false, 'test', 1, 0, now())`)
    const parts = {
      db,
      graph: { ...graph, change },
      clock: systemClock,
      log: silentLog,
      folder,
      serviceRun: '00000000',
    }
    const queue = createImportQueue({ ...parts, detachData: async () => async () => undefined })
    await queue.start()
    expect(await untilDone(id, own)).toMatchObject({ status: 'succeeded' })
    expect(outages).toBeLessThan(0)
    await queue.close()
    await own.close()
  })

  it('that another process took over after an outage of the database are read from their file again', async () => {
    const own = await startTestStack()
    const { db } = own
    const graph = openGraph(db, systemClock)
    const id = randomUUID()
    let outages = 1
    const change: typeof graph.change = async (...work) => {
      if (outages-- <= 0) return graph.change(...work)
      await db.run(sql`
        update imports set lease_holder = ${randomUUID()}, leased_until = now() + interval '50 seconds' where id = ${id}`)
      throw Object.assign(new Error('server closed'), { code: '57P01' })
    }
    const folder = temporaryFolder('storey-imports')
    writeFileSync(join(folder, `${id}.ifc`), ifcFile(house('first')))
    await db.run(sql`
      insert into imports (id, building_id, status, replace, actor, size_bytes, attempts, created_at)
      values (${id}, ${own.seeded.buildingId}, 'queued', false, 'test', 1, 0, now())`)
    const lines: string[] = []
    const line = (_: object, text: string) => void lines.push(text)
    const log = { info: line, warn: line, error: line, debug: line } as unknown as Log
    const parts = { db, graph: { ...graph, change }, clock: systemClock, log, folder, serviceRun: '00000000' }
    const queue = createImportQueue({ ...parts, detachData: async () => async () => undefined })
    await queue.start()
    // The queue has looked for an import again, and found the lease of the other process.
    await expect.poll(() => lines).toContain('background work recovered')
    // The new content shows whether the file is read again.
    writeFileSync(join(folder, `${id}.ifc`), ifcFile(house('second')))
    await db.run(sql`update imports set leased_until = now() where id = ${id}`)
    queue.wake()
    expect(await untilDone(id, own)).toMatchObject({ status: 'succeeded' })
    const { body } = await own.get(`/api/v1/buildings/${own.seeded.buildingId}/spaces?limit=1000`)
    expect(withGlobalId(body.data as SpaceRecord[], globalIdFor('second', '102'))).toBeDefined()
    await queue.close()
    await own.close()
  })
})
