import { POINT_TYPES, quantityKinds, unitsOf } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let base: string
let path: string
let minimal: Record<string, unknown>
beforeAll(async () => {
  stack = await startTestStack({}, { telemetryDays: 1 })
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
  path = `${base}/points`
  const elementId = stack.idOf(stack.building.elements[0]!.key)
  minimal = { elementId, pointType: 'SENSOR', name: 'New', quantityKind: 'Temperature', unit: 'DEG_C' }
})
afterAll(() => stack.close())

const create = (changes: Record<string, unknown> = {}) => stack.send('POST', path, { ...minimal, ...changes })

describe('POST …/points', () => {
  it('[GRF-15] requires an element, a type, a name, a quantity kind and a unit, and nothing else', async () => {
    expect(await create()).toMatchObject({ status: 201, body: minimal })
    for (const name of Object.keys(minimal)) {
      const without = await create({ [name]: undefined })
      expect(without).toMatchObject({ status: 400, body: { errors: [{ pointer: `/${name}` }] } })
    }
  })

  it('[GRF-11] accepts the point types that the API defines, and refuses others', async () => {
    for (const pointType of POINT_TYPES) expect((await create({ pointType })).body.pointType).toBe(pointType)
    for (const pointType of ['sensor', 'METER', '', null, 0]) {
      expect(await create({ pointType })).toMatchObject({ status: 400, body: { errors: [{ pointer: '/pointType' }] } })
    }
  })

  it('[GRF-18] accepts every unit of every quantity kind', async () => {
    for (const { name, units } of quantityKinds) {
      for (const unit of units) expect((await create({ quantityKind: name, unit })).status, `${name} ${unit}`).toBe(201)
    }
  })

  it.each([
    ['Temperature', 'KiloW'],
    ['Temperature', 'deg_c'],
    ['Temperature', 'constructor'],
    ['Illuminance', 'LM'],
  ])('[GRF-18] refuses %s in %s, and lists the valid units', async (quantityKind, unit) => {
    const { status, body } = await create({ quantityKind, unit })
    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/unit' }],
    })
    expect(body.validValues).toEqual(unitsOf(quantityKind))
    for (const fitting of unitsOf(quantityKind)) expect(body.detail).toContain(fitting)
  })

  it('refuses a quantity kind that is not in the catalog, and lists the valid ones', async () => {
    for (const quantityKind of ['temperature', 'Charm', '__proto__', 'toString']) {
      const { status, body } = await create({ quantityKind })
      expect({ status, ...body }).toMatchObject({ status: 400, errors: [{ pointer: '/quantityKind' }] })
      expect(body.validValues).toEqual(quantityKinds.map(({ name }) => name))
    }
  })
})

describe('PATCH …/points/{id}', () => {
  it('[GRF-18] refuses a unit that does not fit the quantity kind, whether the request changes the unit or the quantity kind', async () => {
    const { body } = await create()
    const patch = (changes: unknown) => stack.send('PATCH', `${path}/${body.id}`, changes)
    expect(await patch({ unit: 'KiloW' })).toMatchObject({ status: 400, body: { validValues: unitsOf('Temperature') } })
    expect(await patch({ quantityKind: 'Power' })).toMatchObject({
      status: 400,
      body: { validValues: unitsOf('Power') },
    })
    expect((await stack.get(`${path}/${body.id}`)).body).toEqual(body)
    const both = { quantityKind: 'Power', unit: 'KiloW' }
    expect(await patch(both)).toMatchObject({ status: 200, body: both })
  })

  it('moves the point to another element', async () => {
    const elementId = stack.idOf(stack.building.elements[1]!.key)
    const { body } = await create()
    expect((await stack.send('PATCH', `${path}/${body.id}`, { elementId })).body.elementId).toBe(elementId)
    const { body: list } = await stack.get(`${path}?limit=1000&elementId=${elementId}`)
    expect(list.data.map(({ id }: { id: string }) => id)).toContain(body.id)
  })
})

describe('DELETE …/points/{id}', () => {
  it('removes the telemetry of the point from the API too, and that of no other point', async () => {
    const latest = async () => (await stack.get(`${base}/telemetry/latest`)).body.data as { pointId: string }[]
    const before = await latest()
    const { pointId } = before[0]!
    const history = `${base}/telemetry/observations?pointId=${pointId}`
    expect((await stack.get(history)).status).toBe(200)
    expect((await stack.send('DELETE', `${path}/${pointId}`)).status).toBe(204)
    expect(await stack.get(history)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect(await latest()).toEqual(before.slice(1))
  })

  it('does not give the history of the point to a new point with the same code', async () => {
    const { pointId } = (await stack.get(`${base}/telemetry/latest`)).body.data[0]
    const { body: old } = await stack.get(`${path}/${pointId}`)
    await stack.send('DELETE', `${path}/${pointId}`)
    const { body } = await create({ code: old.code })
    const from = '2026-02-01T00:00:00Z'
    const { body: history } = await stack.get(`${base}/telemetry/observations?pointId=${body.id}&from=${from}`)
    expect(history.data).toEqual([])
    const latest = (await stack.get(`${base}/telemetry/latest`)).body.data
    expect(latest.map((row: { pointId: string }) => row.pointId)).not.toContain(body.id)
  })
})
