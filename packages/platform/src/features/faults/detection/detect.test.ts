import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FaultsApi, startFaultsApi, type TestPoint } from '../testing/faults-api.ts'

let api: FaultsApi
beforeAll(async () => {
  api = await startFaultsApi()
  await api.deleteRules()
})
afterAll(() => api.stack.close())

/** Deletes the rules of the test, and moves the clock forward for the next test. */
afterEach(async () => {
  await api.deleteRules()
  api.pass(60)
})

const temperature = () => api.newPoint()
const alarmPoint = () => api.newPoint({ pointType: 'ALARM', quantityKind: 'Dimensionless', unit: 'UNITLESS' })
const states = async (ruleId: string) =>
  (await api.faults('?limit=200')).filter((fault) => fault.ruleId === ruleId).map(({ state }) => state)

describe('a threshold rule', () => {
  it('[FLT-04] opens a fault for a value beyond the bound of the rule', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'threshold', severity: 'major', pointId: point.id, above: 30 })
    await api.observe([point, 30])
    expect(await api.faults()).toEqual([])
    await api.observe([point, 30.5])
    expect(await api.faults()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        buildingId: api.stack.seeded.buildingId,
        alarmId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ruleId: rule.id,
        kind: 'threshold',
        severity: 'major',
        title: expect.stringMatching(/^Temperature above 30 °C: Zone temperature, VAV box /),
        state: 'open',
        pointId: point.id,
        elementId: point.elementId,
        value: '30.5',
        detectedAt: api.clock.now().toISOString(),
        acknowledgedAt: null,
        acknowledgedBy: null,
        resolvedAt: null,
        request: null,
      },
    ])
  })

  it('[FLT-06] opens no second fault while one is active, and opens another when the condition returns', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30, below: 10 })
    await api.observe([point, 31])
    api.pass(5)
    await api.observe([point, 32], [point, 9])
    expect(await states(rule.id)).toEqual(['open'])
    api.pass(5)
    await api.observe([point, 20])
    expect(await states(rule.id)).toEqual(['resolved'])
    const [fault] = await api.faults()
    expect(fault!.resolvedAt).toBe(api.clock.now().toISOString())
    api.pass(5)
    await api.observe([point, 9])
    expect(await states(rule.id)).toEqual(['open', 'resolved'])
    expect((await api.faults())[0]!.title).toMatch(/^Temperature below 10 °C: /)
  })

  it('opens a fault only after the duration of the rule, measured by the times of the observations', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30, durationSeconds: 900 })
    await api.observe([point, 31])
    api.pass(14)
    await api.observe([point, 31])
    expect(await states(rule.id)).toEqual([])
    api.pass(1)
    await api.observe([point, 20])
    api.pass(1)
    await api.observe([point, 31])
    api.pass(14)
    await api.observe([point, 31])
    expect(await states(rule.id)).toEqual([])
    api.pass(1)
    await api.observe([point, 31])
    expect(await states(rule.id)).toEqual(['open'])
    expect((await api.faults())[0]!.title).toMatch(/^Temperature above 30 °C for 15 min: /)
  })

  it('opens a fault if the duration of the rule passes within one batch, in whatever order the observations of the batch are', async () => {
    const [a, b] = [await temperature(), await temperature()]
    const rule = await api.rule({ kind: 'threshold', quantityKind: 'Temperature', above: 30, durationSeconds: 600 })
    await api.observe([a, 31, 20], [b, 31, 20], [b, 31, 10], [a, 20, 15], [a, 31, 10], [a, 31])
    expect((await api.faults()).filter(({ ruleId }) => ruleId === rule.id).map(({ pointId }) => pointId)).toHaveLength(
      2,
    )
  })

  it('detects a fault that begins and ends within one batch, in whatever order the observations of the batch are', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    await api.observe([point, 20], [point, 50, 1], [point, 20, 2])
    expect(await states(rule.id)).toEqual(['resolved'])
  })

  it('ignores texts', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    await api.observe([point, 31])
    await api.observe([point, 'offline'])
    expect(await states(rule.id)).toEqual(['open'])
  })

  it('ignores observations that are older than the newest one of the point', async () => {
    const point = await temperature()
    await api.observe([point, 20])
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    await api.observe([point, 50, 1], [point, 50, 60 * 24 * 3])
    expect(await states(rule.id)).toEqual([])
    await api.observe([point, 50])
    expect(await states(rule.id)).toEqual(['open'])
    await api.observe([point, 20, 1])
    expect(await states(rule.id)).toEqual(['open'])
  })

  it('checks the last value of a point when the rule is created, and again when the rule is changed', async () => {
    const point = await temperature()
    await api.observe([point, 35])
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    await api.stack.faults().idle()
    expect(await states(rule.id)).toEqual(['open'])
    await api.patchRule(rule.id, { above: 40 })
    await api.stack.faults().idle()
    expect(await states(rule.id)).toEqual(['resolved'])
    api.pass(1)
    await api.patchRule(rule.id, { above: null, below: 36 })
    await api.stack.faults().idle()
    expect(await states(rule.id)).toEqual(['open', 'resolved'])
  })

  it('opens one fault for a value that alternates within one batch', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    const flapping = Array.from({ length: 1000 }, (_, i) => [point, i % 2 === 0 ? 31 : 20, 1 - i / 1000] as const)
    await api.observe(...flapping.map(([p, v, ago]): [TestPoint, number, number] => [p, v, ago]))
    expect(await states(rule.id)).toEqual(['resolved'])
  })
})

describe('a stuck rule', () => {
  it('[FLT-04] opens a fault for a constant number, and ends the fault when the number changes', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'stuck', pointId: point.id, durationSeconds: 3600 })
    await api.observe([point, 20])
    for (let i = 0; i < 3; i++) {
      api.pass(20)
      await api.observe([point, 21])
    }
    expect(await states(rule.id)).toEqual([])
    api.pass(20)
    await api.observe([point, 21])
    expect(await states(rule.id)).toEqual(['open'])
    expect((await api.faults())[0]!.title).toMatch(/^Temperature unchanged for 1 h: /)
    api.pass(20)
    await api.observe([point, 21])
    expect(await states(rule.id)).toEqual(['open'])
    api.pass(20)
    await api.observe([point, 21.1])
    expect(await states(rule.id)).toEqual(['resolved'])
  })

  it('does not count time without observations', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'stuck', pointId: point.id, durationSeconds: 3600 })
    await api.observe([point, 21])
    api.pass(600)
    await api.observe([point, 21])
    expect(await states(rule.id)).toEqual([])
  })
})

describe('a silent rule', () => {
  it('[FLT-04] opens a fault for a silent point, and ends the fault when the point sends again', async () => {
    const point = await temperature()
    const rule = await api.rule({ kind: 'silent', pointId: point.id, durationSeconds: 600 })
    await api.observe([point, 21])
    expect(api.stack.faults().dueAt()).toEqual(new Date(api.clock.now().getTime() + 600_000))
    api.pass(9)
    await api.stack.faults().check()
    expect(await states(rule.id)).toEqual([])
    api.pass(1)
    await api.stack.faults().check()
    expect(await states(rule.id)).toEqual(['open'])
    expect(await api.faults('?limit=1')).toMatchObject([
      { title: expect.stringMatching(/^No observation for 10 min: /), value: null },
    ])
    api.pass(30)
    await api.stack.faults().check()
    expect(await states(rule.id)).toEqual(['open'])
    await api.observe([point, 'hello'])
    expect(await states(rule.id)).toEqual(['resolved'])
  })

  it('ignores points without observations since the rule was created', async () => {
    const [spoken, mute] = [await temperature(), await temperature()]
    await api.observe([spoken, 21])
    api.pass(60)
    const rule = await api.rule({ kind: 'silent', quantityKind: 'Temperature', durationSeconds: 60 })
    api.pass(60)
    await api.stack.faults().check()
    await api.observe([mute, 21])
    expect(await states(rule.id)).toEqual([])
    api.pass(1)
    await api.stack.faults().check()
    const found = (await api.faults()).filter(({ ruleId }) => ruleId === rule.id)
    expect(found.map(({ pointId }) => pointId)).toEqual([mute.id])
  })
})

describe('an alarm rule', () => {
  it('[FLT-04] opens a fault for a value that means on, and ends the fault with any other value', async () => {
    const point = await alarmPoint()
    const rule = await api.rule({ kind: 'alarm', pointType: 'ALARM' })
    const on = ['1', 'true', 'ON', 'Active', 'ALARM', 'Fault', '-3', '0.5']
    const off = ['0', 'false', 'off', 'normal', 'test', '0.0', 'alarms', '']
    for (const [i, value] of on.entries()) {
      api.pass(1)
      await api.observe([point, value])
      const [fault] = await api.faults('?limit=1')
      expect(fault, value).toMatchObject({ ruleId: rule.id, state: 'open', value, pointId: point.id })
      expect(fault!.title).toMatch(/^Alarm: /)
      await api.observe([point, off[i]!])
      expect(await states(rule.id), off[i]).toEqual(on.slice(0, i + 1).map(() => 'resolved'))
    }
  })

  it('also watches points of other types than ALARM', async () => {
    const point = api.point('.OCC')
    const rule = await api.rule({ kind: 'alarm', pointId: point.id })
    await api.observe([point, 1])
    expect(await states(rule.id)).toEqual(['open'])
  })
})

describe('the watched points', () => {
  it('are those that match all fields of a rule', async () => {
    const [room, box] = [await temperature(), api.point('.DAT')]
    const setpoint = api.points.find(({ pointType, unit }) => pointType === 'SETPOINT' && unit === 'DEG_C')!
    const rule = await api.rule({
      kind: 'threshold',
      above: 5000,
      quantityKind: 'Temperature',
      unit: 'DEG_C',
      pointType: 'SENSOR',
      elementTypeSlug: 'vav',
    })
    await api.observe([room, 6000], [box, 6000], [setpoint, 6000], [api.point('.CO2'), 6000])
    const found = (await api.faults()).filter(({ ruleId }) => ruleId === rule.id).map(({ pointId }) => pointId)
    expect(found.sort()).toEqual([room.id, box.id].sort())
  })

  it('include a new point immediately', async () => {
    const rule = await api.rule({ kind: 'threshold', quantityKind: 'Illuminance', above: 5000 })
    const point = await api.newPoint({ quantityKind: 'Illuminance', unit: 'LUX' })
    await api.observe([point, 6000])
    expect(await states(rule.id)).toEqual(['open'])
    const second = await api.newPoint({ quantityKind: 'Illuminance', unit: 'LUX' })
    await api.observe([second, 0, 2], [second, 6000, 1], [second, 0])
    expect((await states(rule.id)).sort()).toEqual(['open', 'resolved'])
  })

  it('exclude a deleted point: its faults are resolved, and stay listed', async () => {
    const point = await alarmPoint()
    const rule = await api.rule({ kind: 'alarm', pointId: point.id })
    await api.observe([point, 'on'])
    expect(await states(rule.id)).toEqual(['open'])
    await api.stack.send('DELETE', `${api.path}/points/${point.id}`)
    await api.stack.faults().check()
    expect(await states(rule.id)).toEqual(['resolved'])
    expect((await api.faults())[0]).toMatchObject({ pointId: point.id, elementId: point.elementId })
  })

  it('exclude the points of a rule that was disabled or deleted, or that no longer covers them', async () => {
    const point = await temperature()
    const bodies = [{ enabled: false }, null, { quantityKind: 'Voltage', pointId: null }]
    for (const change of bodies) {
      api.pass(1)
      const rule = await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
      await api.observe([point, 31])
      const [fault] = await api.faults('?limit=1')
      expect(fault).toMatchObject({ ruleId: rule.id, state: 'open' })
      if (change) expect((await api.patchRule(rule.id, change)).status).toBe(200)
      else await api.stack.send('DELETE', `${api.path}/fault-rules/${rule.id}`)
      const after = (await api.stack.get(`${api.path}/faults/${fault!.id}`)).body
      expect(after).toMatchObject({ state: 'resolved', ruleId: change ? rule.id : null })
      await api.observe([point, 32])
      expect(await states(rule.id)).not.toContain('open')
      await api.observe([point, 20])
    }
  })
})
