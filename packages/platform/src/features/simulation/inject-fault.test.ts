import type { InjectedRecord } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sent, type SimulatedStack, startSimulatedStack } from './testing/simulated-stack.ts'

const NOW = '2026-03-03T10:02:00.000Z'
const MINUTE = 60_000
let simulated: SimulatedStack
let box: string
beforeAll(async () => {
  simulated = await startSimulatedStack(NOW)
  box = simulated.stack.building.points.find(({ code }) => code.endsWith('.DPR'))!.code.replace('.DPR', '')
})
afterAll(() => simulated.stack.close())

const inject = (body: unknown) => simulated.stack.send('POST', `${simulated.path}/inject`, body)
const numbers = (sent: readonly Sent[], pointId: string) =>
  sent.filter((one) => one.pointId === pointId).map(({ value }) => Number(value))
/** The values of the model without faults. */
const faultless = (sent: readonly Sent[], pointId: string, from: Date, minutes: number) => {
  const all = simulated.generated(from.getTime(), from.getTime() + minutes * MINUTE)
  expect(sent.length).toBeGreaterThan(0)
  return all.filter((one) => one.pointId === pointId).map(({ value }) => Number(value))
}

describe('POST …/simulation/inject', () => {
  it('requires a running simulation', async () => {
    const { status, body } = await inject({ fault: 'stuck-damper', nodeId: simulated.idOf(box), minutes: 5 })
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'CONFLICT' })
    expect((await simulated.command({ running: true })).status).toBe(200)
  })

  it('[SIM-05] keeps a damper at its position and so changes its air flow, but affects no other room', async () => {
    const damper = simulated.idOf(`${box}.DPR`)
    const [position] = numbers(await simulated.after(5), damper).slice(-1)
    const from = simulated.clock.now()
    const { status, body } = await inject({
      fault: 'stuck-damper',
      nodeId: simulated.idOf(box).toUpperCase(),
      minutes: 180,
    })
    expect(status).toBe(201)
    const endsAt = new Date(from.getTime() + 180 * MINUTE).toISOString()
    const record = { fault: 'stuck-damper', nodeId: simulated.idOf(box), startsAt: from.toISOString(), endsAt }
    expect(body).toEqual({ id: expect.any(String), ...record })
    expect((await simulated.read()).faults).toEqual([body])
    const sent = await simulated.after(120)
    expect(new Set(numbers(sent, damper))).toEqual(new Set([position]))
    expect(new Set(faultless(sent, damper, from, 120)).size).toBeGreaterThan(1)
    const flow = simulated.idOf(`${box}.SAF`)
    expect(numbers(sent, flow)).not.toEqual(faultless(sent, flow, from, 120))
    const elsewhere = simulated.stack.building.points.find(
      ({ code }) => code.endsWith('.ZNT') && !code.startsWith(box),
    )!
    expect(numbers(sent, simulated.idOf(elsewhere.code))).toEqual(
      faultless(sent, simulated.idOf(elsewhere.code), from, 120),
    )
    await simulated.stack.restart()
    expect(new Set(numbers(await simulated.after(50), damper))).toEqual(new Set([position]))
    const afterFault = await simulated.after(60)
    expect(new Set(numbers(afterFault, damper)).size).toBeGreaterThan(1)
    expect((await simulated.read()).faults).toEqual([])
  })

  it('[SIM-05] makes a sensor drift for the given time', async () => {
    const sensor = simulated.stack.building.points.find(({ code }) => /^TS.*\.ZNT$|CO2$/.test(code))!
    const pointId = simulated.idOf(sensor.code)
    await simulated.after(1)
    const from = simulated.clock.now()
    expect((await inject({ fault: 'drifting-sensor', nodeId: pointId, minutes: 60 })).status).toBe(201)
    const sent = await simulated.after(90)
    const right = faultless(sent, pointId, from, 90)
    const off = numbers(sent, pointId).map((value, i) => value - right[i]!)
    const during = off.slice(0, 12)
    for (let i = 1; i < during.length; i++) expect(during[i]!).toBeGreaterThan(during[i - 1]!)
    expect(during.at(-1)! - during[0]!).toBeCloseTo(11 * (during[1]! - during[0]!), 0)
    expect(off.slice(13).every((by) => by === 0)).toBe(true)
  })

  it('[SIM-05] makes everything below a storey, a room or an element silent for the given time', async () => {
    const { stack } = simulated
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
      expect((await inject({ fault: 'silent-gateway', nodeId: simulated.idOf(code), minutes: 20 })).status).toBe(201)
      const sending = new Set((await simulated.after(18)).map(({ pointId }) => pointId))
      expect(silent.filter((one) => sending.has(simulated.idOf(one)))).toEqual([])
      const again = new Set((await simulated.after(32)).map(({ pointId }) => pointId))
      expect(silent.some((one) => again.has(simulated.idOf(one)))).toBe(true)
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
  ])('refuses an invalid %s and names the field: %j', async (field, change) => {
    const good = { fault: 'silent-gateway', nodeId: simulated.idOf(box), minutes: 5 }
    const { status, body } = await inject({ ...good, ...change })
    expect(status).toBe(400)
    expect(body.errors[0].pointer).toBe(`/${field}`)
    expect((await simulated.read()).faults).toEqual([])
  })

  it('refuses a node that does not suit the fault, and names the suitable nodes', async () => {
    const { building, other } = simulated.stack
    const sensor = building.elements.find(({ elementType }) => elementType === 'temperature-sensor')!
    const command = building.points.find(({ pointType }) => pointType === 'COMMAND')!
    for (const [fault, nodeId, words] of [
      ['stuck-damper', simulated.idOf(sensor.code), /damper/],
      ['stuck-damper', simulated.idOf(building.spaces[0]!.code), /damper/],
      ['drifting-sensor', simulated.idOf(command.code), /SENSOR/],
      ['silent-gateway', simulated.idOf(command.code), /storey/],
      ['silent-gateway', other.idOf(other.building.elements[0]!.key), /not a node of this building/],
    ] as const) {
      const { status, body } = await inject({ fault, nodeId, minutes: 5 })
      expect(status, fault).toBe(400)
      expect(body.errors[0]).toMatchObject({ pointer: '/nodeId', detail: expect.stringMatching(words) })
    }
  })

  it('[QTA-01] accepts faults up to the quota', async () => {
    const body = { fault: 'silent-gateway', nodeId: simulated.idOf(box), minutes: 5 }
    const created: InjectedRecord[] = []
    for (let i = 0; i < 20; i++) created.push((await inject(body)).body)
    expect((await simulated.read()).faults).toEqual(expect.arrayContaining(created))
    expect(await inject(body)).toMatchObject({
      ...{ status: 429, body: { code: 'QUOTA_EXCEEDED', quota: 'simulatedFaults', limit: 20, used: 20 } },
    })
    await simulated.after(6)
    expect((await inject(body)).status).toBe(201)
  })
})

describe('DELETE …/simulation/inject/{injectionId}', () => {
  const endFault = (id: string) => simulated.stack.send('DELETE', `${simulated.path}/inject/${id}`)

  it('ends a fault early', async () => {
    await simulated.after(6)
    const below = simulated.stack.building.points.filter(({ code }) => code.startsWith(`${box}.`))
    const countSending = async (hours: number) => {
      const sent = new Set<string>()
      for (let i = 0; i < hours; i++) for (const { pointId } of await simulated.after(60)) sent.add(pointId)
      return below.filter(({ code }) => sent.has(simulated.idOf(code))).length
    }
    const { body } = await inject({ fault: 'silent-gateway', nodeId: simulated.idOf(box), minutes: 10_080 })
    expect(await countSending(1)).toBe(0)
    expect((await endFault(body.id.toUpperCase())).status).toBe(204)
    expect((await simulated.read()).faults).toEqual([])
    // Waits until the morning, since an empty room sends little.
    expect(await countSending(14)).toBeGreaterThan(0)
    expect((await endFault(body.id)).status).toBe(204)
  })

  it('responds with 404 for an unknown fault', async () => {
    for (const id of ['x', crypto.randomUUID()]) expect((await endFault(id)).status).toBe(404)
  })
})
