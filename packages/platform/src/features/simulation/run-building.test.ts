import { sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createIngest } from '../telemetry/ingest/ingest.ts'
import { createOutbox } from '../webhooks/outbox/outbox.ts'
import { createSimulator } from './simulator.ts'
import { generated, type LivingStack, lines, type Said, startLivingStack } from './testing/living-stack.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
let living: LivingStack
beforeAll(async () => {
  living = await startLivingStack('2026-03-03T08:02:00.000Z')
})
afterAll(() => living.stack.close())

/** Each test has a day of its own: a building that stood still goes on at the present. */
let nowMs = Date.parse('2026-03-03T08:02:00.000Z')
beforeEach(async () => {
  nowMs += 7 * DAY
  living.clock.set(new Date(nowMs))
})
afterEach(async () => {
  await living.order({ running: false, speed: 1 })
  await living.stack.simulated()
  living.said()
})

describe('a living building', () => {
  it('[SIM-03] says at speed 1 what the generator would have made for the same instants', async () => {
    const { stack, order, after } = living
    await order({ running: true })
    const said = await after(65)
    expect(lines(said)).toEqual(generated(stack, nowMs, nowMs + 65 * MINUTE))
    expect(new Set(said.map(({ source }) => source))).toEqual(new Set(['simulator']))
    const { pointId } = said.find(({ value }) => Number(value) > 1)!
    const telemetry = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry/observations?pointId=${pointId}`
    const { data } = (await stack.get(telemetry)).body
    expect(lines(data.map((row: object) => ({ ...row, pointId })))).toEqual(
      lines(said.filter((one) => one.pointId === pointId)),
    )
  })

  it('[SIM-02] changes its pace without a jump, stamps with the real time, and goes through midnight', async () => {
    const { stack, clock, order, after, read } = living
    nowMs += 12.5 * 60 * MINUTE
    clock.set(new Date(nowMs))
    await order({ running: true, speed: 2 })
    const slow: Said[] = []
    for (let i = 0; i < 20; i++) slow.push(...(await after(9 / 60)))
    await order({ speed: 600 })
    const fast: Said[] = []
    for (let i = 0; i < 7; i++) fast.push(...(await after(6 / 60)))
    const [changedMs, thereMs, untilMs] = [nowMs + 3 * MINUTE, nowMs + 6 * MINUTE, nowMs + (6 + 420) * MINUTE]
    expect(lines(slow)).toEqual(generated(stack, nowMs, thereMs, (ms) => nowMs + Math.floor((ms - nowMs) / 2)))
    const stampOf = (ms: number) => changedMs + Math.floor((ms - thereMs) / 600)
    expect(lines(fast)).toEqual(generated(stack, thereMs, untilMs, stampOf))
    expect((await read()).simulatedAt).toBe(new Date(untilMs).toISOString())
  })

  it('stands still, at a pace of its own, while nobody can simulate it for long', async () => {
    const { stack, order, after } = living
    await order({ running: true, speed: 600 })
    expect(await after(5)).toEqual([])
    const stampOf = (ms: number) => nowMs + 5 * MINUTE + Math.floor((ms - nowMs) / 600)
    expect(lines(await after(0.1))).toEqual(generated(stack, nowMs, nowMs + 60 * MINUTE, stampOf))
  })

  it('goes on by itself after a restart, and makes up for what came between', async () => {
    const { stack, clock, order, after, said } = living
    await order({ running: true })
    const before = await after(20)
    clock.advance(15 * MINUTE)
    await stack.restart()
    const back = await after(10)
    expect(lines([...before, ...back])).toEqual(generated(stack, nowMs, nowMs + 45 * MINUTE))
    // A process that died before it could note what it had sent: the same is said again, and nothing else.
    await stack.db.run(
      sql`update simulations set sent_until = ${new Date(nowMs)}, sent_real = ${new Date(nowMs)}, leased_until = null`,
    )
    await stack.restart()
    await stack.simulated()
    expect(lines(said())).toEqual(generated(stack, nowMs, nowMs + 45 * MINUTE))
  })

  it('is taken over when the lease of another ends later than any lease does', async () => {
    const { stack, order, after } = living
    await order({ running: true })
    await after(1)
    await stack.db.run(
      sql`update simulations set lease_holder = gen_random_uuid(), leased_until = now() + interval '30 days'`,
    )
    await stack.restart()
    expect(lines(await after(5))).not.toEqual([])
  })

  it('says nothing while it is stopped, and does not make up for it', async () => {
    const { stack, order, after, read } = living
    await order({ running: true })
    const before = await after(10)
    await order({ running: false })
    expect(await after(30)).toEqual([])
    await order({ running: true })
    const then = await after(10)
    const restarted = nowMs + 40 * MINUTE
    expect(lines(before)).toEqual(generated(stack, nowMs, nowMs + 10 * MINUTE))
    expect(lines(then)).toEqual(generated(stack, restarted, restarted + 10 * MINUTE))
    expect((await read()).startedAt).toBe(new Date(restarted).toISOString())
  })

  it('speaks for the points there still are', async () => {
    const { stack, order, after } = living
    const base = `/api/v1/buildings/${stack.seeded.buildingId}/points`
    await order({ running: true })
    const spoke = new Set((await after(15)).map(({ pointId }) => pointId))
    const [gone, renamed] = [...spoke] as [string, string]
    expect((await stack.send('DELETE', `${base}/${gone}`)).status).toBe(204)
    expect((await stack.send('PATCH', `${base}/${renamed}`, { code: 'QUITE-ANOTHER' })).status).toBe(200)
    const still = new Set((await after(300)).map(({ pointId }) => pointId))
    expect(still.has(gone)).toBe(false)
    expect(still.has(renamed)).toBe(true)
  })

  it('lives in one process at a time, and in another one when that has gone', async () => {
    const { stack, clock, order, after } = living
    const { db } = stack
    await order({ running: true })
    await after(10)
    const sent: number[] = []
    const outbox = createOutbox(db)
    const ingest = createIngest({ db, clock, bus: createBus(silentLog), outbox, onBatch: (count) => sent.push(count) })
    const other = createSimulator({ db, clock, bus: createBus(silentLog), ingest, log: silentLog })
    clock.advance(10 * MINUTE)
    await other.idle()
    expect(sent).toEqual([])
    expect((await after(0)).length).toBeGreaterThan(0)
    await db.run(sql`update simulations set leased_until = now() - interval '1 second'`)
    clock.advance(10 * MINUTE)
    await other.idle()
    expect(sent.length).toBeGreaterThan(0)
    expect(await after(0)).toEqual([])
    await other.close()
    expect((await after(10)).length).toBeGreaterThan(0)
  })

  it('is due while it lives', async () => {
    const { stack, clock, order } = living
    const parts = { db: stack.db, clock, bus: createBus(silentLog), log: silentLog }
    const simulator = createSimulator({ ...parts, ingest: async () => 0 })
    expect(await simulator.nextDue()).toBeNull()
    await order({ running: true })
    expect(await simulator.nextDue()).toEqual(clock.now())
    await order({ running: false })
    expect(await simulator.nextDue()).toBeNull()
  })
})
