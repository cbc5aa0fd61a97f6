import { sql } from '@storey/kit/database'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FaultsApi, startFaultsApi } from '../testing/faults-api.ts'

let api: FaultsApi
beforeAll(async () => {
  api = await startFaultsApi()
  await api.deleteRules()
})
afterAll(() => api.stack.close())
afterEach(async () => {
  await api.deleteRules()
  await api.stack.db.run(sql`delete from faults`)
  api.pass(60)
})

const alarmPoint = () => api.newPoint({ pointType: 'ALARM', quantityKind: 'Dimensionless', unit: 'UNITLESS' })
async function restart(): Promise<void> {
  await api.stack.restart()
  await api.stack.faults().idle()
}
const states = async () => (await api.faults()).map(({ state }) => state)

describe('after a restart', () => {
  it('[FLT-06] an active fault stays the same fault, and ends as usual', async () => {
    const [warm, alarm, cold] = [await api.newPoint(), await alarmPoint(), await api.newPoint()]
    await api.rule({ kind: 'threshold', pointId: warm.id, above: 30, durationSeconds: 60 })
    await api.rule({ kind: 'threshold', pointId: cold.id, below: 10, durationSeconds: 60 })
    await api.rule({ kind: 'alarm', pointId: alarm.id })
    await api.observe([warm, 31, 5], [warm, 31], [cold, 9, 5], [cold, 9], [alarm, 'on'])
    const before = await api.faults()
    expect(before).toHaveLength(3)
    await restart()
    expect(await api.faults()).toEqual(before)
    api.pass(1)
    await api.observe([warm, 32], [cold, 8], [alarm, 'active'])
    expect(await api.faults()).toEqual(before)
    await api.observe([warm, 20], [cold, 20], [alarm, 'off'])
    expect(await states()).toEqual(['resolved', 'resolved', 'resolved'])
  })

  it('faults that were not written when the process ended are detected from the last values', async () => {
    const [warm, alarm, slow] = [await api.newPoint(), await alarmPoint(), await api.newPoint()]
    await api.rule({ kind: 'threshold', pointId: warm.id, above: 30 })
    await api.rule({ kind: 'threshold', pointId: slow.id, above: 30, durationSeconds: 600 })
    await api.rule({ kind: 'alarm', pointId: alarm.id })
    await api.observe([warm, 31], [alarm, 'on'], [slow, 31])
    await api.stack.db.run(sql`delete from faults`)
    await restart()
    expect((await api.faults()).map(({ pointId, value }) => [pointId, value]).sort()).toEqual(
      [
        [warm.id, '31'],
        [alarm.id, 'on'],
      ].sort(),
    )
    api.pass(10)
    await api.observe([slow, 31])
    expect((await api.faults('?limit=1'))[0]).toMatchObject({ pointId: slow.id })
  })

  it('a fault of a threshold rule is resolved if its end was not written when the process ended', async () => {
    const point = await api.newPoint()
    await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    await api.observe([point, 31])
    api.pass(1)
    await api.observe([point, 20])
    await api.stack.db.run(sql`update faults set state = 'open', resolved_at = null`)
    await api.stack.folded()
    await restart()
    expect(await states()).toEqual(['resolved'])
  })

  it('a fault of a stuck or silent rule is resolved if its end was not written when the process ended', async () => {
    const [stuck, silent] = [await api.newPoint(), await api.newPoint()]
    await api.rule({ kind: 'stuck', pointId: stuck.id, durationSeconds: 600 })
    await api.rule({ kind: 'silent', pointId: silent.id, durationSeconds: 600 })
    await api.observe([silent, 20])
    for (let minutes = 15; minutes >= 0; minutes -= 3) await api.observe([stuck, 21, minutes])
    api.pass(11)
    await api.stack.faults().check()
    expect((await api.faults()).map(({ kind }) => kind).sort()).toEqual(['silent', 'stuck'])
    await api.observe([stuck, 22], [silent, 20])
    expect(await states()).toEqual(['resolved', 'resolved'])
    await api.stack.db.run(sql`update faults set state = 'open', resolved_at = null`)
    await api.stack.folded()
    await restart()
    expect(await states()).toEqual(['resolved', 'resolved'])
  })

  it('late observations open no fault', async () => {
    const point = await api.newPoint()
    await api.rule({ kind: 'threshold', pointId: point.id, above: 30 })
    await api.observe([point, 20])
    await restart()
    await api.observe([point, 50, 1])
    expect(await states()).toEqual([])
  })

  it('a silent rule finds a point that became silent, and ignores one that was silent before the rule was created', async () => {
    const [received, unheard] = [await api.newPoint(), await api.newPoint()]
    await api.observe([unheard, 20])
    api.pass(1)
    await api.rule({ kind: 'silent', quantityKind: 'Temperature', durationSeconds: 600 })
    await api.observe([received, 20])
    api.pass(600)
    await restart()
    expect((await api.faults()).map(({ pointId, kind }) => [pointId, kind])).toEqual([[received.id, 'silent']])
  })

  it('[FLT-12] an observation with a timestamp ahead of now does not hide those that follow it', async () => {
    const [alarm, warm, heard] = [await alarmPoint(), await api.newPoint(), await api.newPoint()]
    await api.rule({ kind: 'alarm', pointId: alarm.id })
    await api.rule({ kind: 'threshold', pointId: warm.id, above: 30, durationSeconds: 120 })
    await api.rule({ kind: 'silent', pointId: heard.id, durationSeconds: 300 })
    await api.observe([alarm, 'off', -600], [warm, 31, -600], [heard, 1, -600])
    api.pass(1)
    await api.observe([alarm, 'on'], [warm, 31], [heard, 2])
    expect((await api.faults()).map(({ pointId }) => pointId)).toEqual([alarm.id])
    await api.observe([alarm, 'off'])
    await restart()
    api.pass(4)
    await api.observe([alarm, 'on'], [warm, 31], [heard, 3])
    const open = (await api.faults('?state=open')).map(({ pointId }) => pointId)
    expect(open.sort()).toEqual([alarm.id, warm.id].sort())
  })
})
