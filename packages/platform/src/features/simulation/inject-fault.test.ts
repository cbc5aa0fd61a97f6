import type { InjectedRecord } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LivingStack, type Said, startLivingStack } from './testing/living-stack.ts'

const NOW = '2026-03-03T10:02:00.000Z'
const MINUTE = 60_000
let living: LivingStack
let box: string
beforeAll(async () => {
  living = await startLivingStack(NOW)
  box = living.stack.building.points.find(({ code }) => code.endsWith('.DPR'))!.code.replace('.DPR', '')
})
afterAll(() => living.stack.close())

const inject = (body: unknown) => living.stack.send('POST', `${living.path}/inject`, body)
const numbers = (said: readonly Said[], pointId: string) =>
  said.filter((one) => one.pointId === pointId).map(({ value }) => Number(value))
/** What the building would have said, had nothing been broken. */
const sound = (said: readonly Said[], pointId: string, from: Date, minutes: number) => {
  const all = living.generated(from.getTime(), from.getTime() + minutes * MINUTE)
  expect(said.length).toBeGreaterThan(0)
  return all.filter((one) => one.pointId === pointId).map(({ value }) => Number(value))
}

describe('POST …/simulation/inject', () => {
  it('needs a building that lives', async () => {
    const { status, body } = await inject({ fault: 'stuck-damper', nodeId: living.idOf(box), minutes: 5 })
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'CONFLICT' })
    expect((await living.order({ running: true })).status).toBe(200)
  })

  it('[SIM-05] lets a damper stick where it stands, and the room feels it', async () => {
    const damper = living.idOf(`${box}.DPR`)
    const [stands] = numbers(await living.after(5), damper).slice(-1)
    const from = living.clock.now()
    const { status, body } = await inject({
      fault: 'stuck-damper',
      nodeId: living.idOf(box).toUpperCase(),
      minutes: 180,
    })
    expect(status).toBe(201)
    const endsAt = new Date(from.getTime() + 180 * MINUTE).toISOString()
    const record = { fault: 'stuck-damper', nodeId: living.idOf(box), startsAt: from.toISOString(), endsAt }
    expect(body).toEqual({ id: expect.any(String), ...record })
    expect((await living.read()).faults).toEqual([body])
    const said = await living.after(120)
    expect(new Set(numbers(said, damper))).toEqual(new Set([stands]))
    expect(new Set(sound(said, damper, from, 120)).size).toBeGreaterThan(1)
    const flow = living.idOf(`${box}.SAF`)
    expect(numbers(said, flow)).not.toEqual(sound(said, flow, from, 120))
    const elsewhere = living.stack.building.points.find(({ code }) => code.endsWith('.ZNT') && !code.startsWith(box))!
    expect(numbers(said, living.idOf(elsewhere.code))).toEqual(sound(said, living.idOf(elsewhere.code), from, 120))
    await living.stack.restart()
    expect(new Set(numbers(await living.after(50), damper))).toEqual(new Set([stands]))
    const well = await living.after(60)
    expect(new Set(numbers(well, damper)).size).toBeGreaterThan(1)
    expect((await living.read()).faults).toEqual([])
  })

  it('[SIM-05] lets a sensor drift away for as long as it was told', async () => {
    const sensor = living.stack.building.points.find(({ code }) => /^TS.*\.ZNT$|CO2$/.test(code))!
    const pointId = living.idOf(sensor.code)
    await living.after(1)
    const from = living.clock.now()
    expect((await inject({ fault: 'drifting-sensor', nodeId: pointId, minutes: 60 })).status).toBe(201)
    const said = await living.after(90)
    const right = sound(said, pointId, from, 90)
    const off = numbers(said, pointId).map((value, i) => value - right[i]!)
    const during = off.slice(0, 12)
    for (let i = 1; i < during.length; i++) expect(during[i]!).toBeGreaterThan(during[i - 1]!)
    expect(during.at(-1)! - during[0]!).toBeCloseTo(11 * (during[1]! - during[0]!), 0)
    expect(off.slice(13).every((by) => by === 0)).toBe(true)
  })

  it('[SIM-05] lets everything below a storey, a room or an element fall silent, and speak again', async () => {
    const { stack } = living
    const { spaces, elements, points } = stack.building
    const space = spaces.find(({ key }) => elements.some(({ spaceKey }) => spaceKey === key))!
    const inRoom = new Set(elements.filter(({ spaceKey }) => spaceKey === space.key).map(({ key }) => key))
    const onStorey = new Set(elements.filter(({ storeyKey }) => storeyKey === space.storeyKey).map(({ key }) => key))
    const below = (keys: Set<string>) => points.filter(({ elementKey }) => keys.has(elementKey)).map(({ code }) => code)
    for (const [code, silent] of [
      [space.code, below(inRoom)],
      [stack.building.storeys.find(({ key }) => key === space.storeyKey)!.code, below(onStorey)],
      [box, points.filter(({ code }) => code.startsWith(`${box}.`)).map(({ code }) => code)],
    ] as const) {
      expect((await inject({ fault: 'silent-gateway', nodeId: living.idOf(code), minutes: 20 })).status).toBe(201)
      const spoke = new Set((await living.after(18)).map(({ pointId }) => pointId))
      expect(silent.filter((one) => spoke.has(living.idOf(one)))).toEqual([])
      const again = new Set((await living.after(32)).map(({ pointId }) => pointId))
      expect(silent.some((one) => again.has(living.idOf(one)))).toBe(true)
    }
  })

  it.each([
    ['fault', { fault: 'flood' }],
    ['fault', { fault: null }],
    ['nodeId', { nodeId: 'AHU-01' }],
    ['nodeId', { nodeId: '0191b6a0-1111-7000-8000-000000000000' }],
    ['nodeId', { nodeId: "'; drop table points; --" }],
    ['minutes', { minutes: 0 }],
    ['minutes', { minutes: 1.5 }],
    ['minutes', { minutes: 10_081 }],
    ['minutes', { minutes: '5' }],
    ['until', { until: NOW }],
  ])('names %s when it is wrong: %j', async (field, change) => {
    const good = { fault: 'silent-gateway', nodeId: living.idOf(box), minutes: 5 }
    const { status, body } = await inject({ ...good, ...change })
    expect(status).toBe(400)
    expect(body.errors[0].pointer).toBe(`/${field}`)
    expect((await living.read()).faults).toEqual([])
  })

  it('says which nodes would fit', async () => {
    const { building, other } = living.stack
    const sensor = building.elements.find(({ elementType }) => elementType === 'temperature-sensor')!
    const command = building.points.find(({ pointType }) => pointType === 'COMMAND')!
    for (const [fault, nodeId, words] of [
      ['stuck-damper', living.idOf(sensor.code), /damper/],
      ['stuck-damper', living.idOf(building.spaces[0]!.code), /damper/],
      ['drifting-sensor', living.idOf(command.code), /SENSOR/],
      ['silent-gateway', living.idOf(command.code), /storey/],
      ['silent-gateway', other.idOf(other.building.elements[0]!.key), /no node of this building/],
    ] as const) {
      const { status, body } = await inject({ fault, nodeId, minutes: 5 })
      expect(status, fault).toBe(400)
      expect(body.errors[0]).toMatchObject({ pointer: '/nodeId', detail: expect.stringMatching(words) })
    }
  })

  it('[QTA-01] takes so many faults at a time and no more', async () => {
    const body = { fault: 'silent-gateway', nodeId: living.idOf(box), minutes: 5 }
    const made: InjectedRecord[] = []
    for (let i = 0; i < 20; i++) made.push((await inject(body)).body)
    expect((await living.read()).faults).toEqual(expect.arrayContaining(made))
    expect(await inject(body)).toMatchObject({
      ...{ status: 429, body: { code: 'QUOTA_EXCEEDED', quota: 'simulatedFaults', limit: 20, used: 20 } },
    })
    await living.after(6)
    expect((await inject(body)).status).toBe(201)
  })
})

describe('DELETE …/simulation/inject/{injectionId}', () => {
  const mend = (id: string) => living.stack.send('DELETE', `${living.path}/inject/${id}`)

  it('ends a fault before its time', async () => {
    await living.after(6)
    const below = living.stack.building.points.filter(({ code }) => code.startsWith(`${box}.`))
    const spoke = async (hours: number) => {
      const said = new Set<string>()
      for (let i = 0; i < hours; i++) for (const { pointId } of await living.after(60)) said.add(pointId)
      return below.filter(({ code }) => said.has(living.idOf(code))).length
    }
    const { body } = await inject({ fault: 'silent-gateway', nodeId: living.idOf(box), minutes: 10_080 })
    expect(await spoke(1)).toBe(0)
    expect((await mend(body.id.toUpperCase())).status).toBe(204)
    expect((await living.read()).faults).toEqual([])
    // Until the morning: a room that nobody is in says little.
    expect(await spoke(14)).toBeGreaterThan(0)
    expect((await mend(body.id)).status).toBe(204)
  })

  it('knows those of this building only', async () => {
    for (const id of ['x', crypto.randomUUID()]) expect((await mend(id)).status).toBe(404)
  })
})
