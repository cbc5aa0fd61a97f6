import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { planTelemetry } from '@storey/building'
import { readRuns } from '@storey/kit/background'
import { openDatabase, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { unwatched } from '../../memory.ts'
import { createIngest } from '../telemetry/ingest/ingest.ts'
import { createOutbox } from '../webhooks/outbox/outbox.ts'
import { createAutomatic } from './automatic.ts'
import { createClientPoints } from './client-points.ts'
import { createFollowers } from './followers.ts'
import { createSimulationRun } from './run-building.ts'
import { createSimulator } from './simulator.ts'
import { generated, lines, type Sent, type SimulatedStack, startSimulatedStack } from './testing/simulated-stack.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const memory = unwatched(1024 ** 3)
const foldingCapacity = { isFree: () => true }
let simulated: SimulatedStack
beforeAll(async () => {
  simulated = await startSimulatedStack('2026-03-03T08:02:00.000Z')
})
afterAll(() => simulated.stack.close())

/**
 * Each test runs a week after the previous one. A stopped simulation does not catch up, so the tests do not affect each
 * other.
 */
let nowMs = Date.parse('2026-03-03T08:02:00.000Z')
beforeEach(async () => {
  nowMs += 7 * DAY
  simulated.clock.set(new Date(nowMs))
})
afterEach(async () => {
  await simulated.command({ running: false, speed: 1 })
  await simulated.stack.simulated()
  simulated.sent()
})

describe('a simulated building', () => {
  it('[SIM-03] sends the generated values at speed 1, each point at its own time within the step', async () => {
    const { stack, command, after } = simulated
    await command({ running: true })
    const sent = await after(65)
    expect(lines(sent)).toEqual(generated(stack, nowMs, nowMs + 65 * MINUTE))
    expect(new Set(sent.map(({ source }) => source))).toEqual(new Set(['simulator']))
    const { pointId } = sent.find(({ value }) => Number(value) > 1)!
    const telemetry = `/api/v1/buildings/${stack.seeded.buildingId}/telemetry/observations?pointId=${pointId}`
    const { data } = (await stack.get(telemetry)).body
    expect(lines(data.map((row: object) => ({ ...row, pointId })))).toEqual(
      lines(sent.filter((one) => one.pointId === pointId)),
    )
  })

  it('[SIM-11] sends the values of sensors at different times of a step, and those of all meters together', async () => {
    const { stack, command, after } = simulated
    const STEP = 5 * MINUTE
    const { points } = stack.building
    const meters = new Set(
      planTelemetry(stack.building).counters.map(({ pointIndex }) => stack.idOf(points[pointIndex]!.key)),
    )
    await command({ running: true })
    const sent = await after(60)
    const times = (some: Sent[]) => new Set(some.map(({ timestamp }) => Date.parse(timestamp) % STEP))
    expect(times(sent.filter(({ pointId }) => meters.has(pointId)))).toEqual(new Set([0]))
    const sensors = Map.groupBy(
      sent.filter(({ pointId }) => !meters.has(pointId)),
      ({ pointId }) => pointId,
    )
    const regular = [...sensors.values()].filter((own) => own.length === 12)
    expect(regular.length).toBeGreaterThan(20)
    for (const own of regular) expect(times(own).size).toBe(1)
    expect(times(regular.flat()).size).toBeGreaterThan(10)
  })

  it('[SIM-02] changes speed without a jump in simulated time, uses real timestamps, and passes midnight', async () => {
    const { stack, clock, command, after, read } = simulated
    nowMs += 12.5 * 60 * MINUTE
    clock.set(new Date(nowMs))
    await command({ running: true, speed: 2 })
    const slow: Sent[] = []
    for (let i = 0; i < 20; i++) slow.push(...(await after(9 / 60)))
    await command({ speed: 600 })
    const fast: Sent[] = []
    for (let i = 0; i < 7; i++) fast.push(...(await after(6 / 60)))
    const [changedMs, thereMs, untilMs] = [nowMs + 3 * MINUTE, nowMs + 6 * MINUTE, nowMs + (6 + 420) * MINUTE]
    expect(lines(slow)).toEqual(generated(stack, nowMs, thereMs, (ms) => nowMs + Math.floor((ms - nowMs) / 2)))
    const timestampOf = (ms: number) => changedMs + Math.floor((ms - thereMs) / 600)
    expect(lines(fast)).toEqual(generated(stack, thereMs, untilMs, timestampOf))
    expect((await read()).simulatedAt).toBe(new Date(untilMs).toISOString())
  })

  it('continues from the last sent values, at a speed other than 1, after five minutes without a process', async () => {
    const { stack, command, after } = simulated
    await command({ running: true, speed: 600 })
    expect(await after(5)).toEqual([])
    const timestampOf = (ms: number) => nowMs + 5 * MINUTE + Math.floor((ms - nowMs) / 600)
    expect(lines(await after(0.1))).toEqual(generated(stack, nowMs, nowMs + 60 * MINUTE, timestampOf))
  })

  it('continues after a restart, and catches up', async () => {
    const { stack, clock, command, after, sent } = simulated
    await command({ running: true })
    const before = await after(20)
    clock.advance(15 * MINUTE)
    await stack.restart()
    const back = await after(10)
    expect(lines([...before, ...back])).toEqual(generated(stack, nowMs, nowMs + 45 * MINUTE))
    // If a process dies before it writes its progress, exactly the same observations are sent again.
    await stack.db.run(
      sql`update simulations set sent_until = ${new Date(nowMs)}, sent_real = ${new Date(nowMs)}, leased_until = null`,
    )
    await stack.restart()
    await stack.simulated()
    expect(lines(sent())).toEqual(generated(stack, nowMs, nowMs + 45 * MINUTE))
  })

  it('is taken over when the lease of another process ends later than any lease can end', async () => {
    const { stack, command, after } = simulated
    await command({ running: true })
    await after(1)
    await stack.db.run(
      sql`update simulations set lease_holder = gen_random_uuid(), leased_until = now() + interval '30 days'`,
    )
    await stack.restart()
    expect(lines(await after(5))).not.toEqual([])
  })

  it('sends nothing while it is stopped, and does not catch up', async () => {
    const { stack, command, after, read } = simulated
    await command({ running: true })
    const before = await after(10)
    await command({ running: false })
    expect(await after(30)).toEqual([])
    await command({ running: true })
    const then = await after(10)
    const restarted = nowMs + 40 * MINUTE
    expect(lines(before)).toEqual(generated(stack, nowMs, nowMs + 10 * MINUTE))
    expect(lines(then)).toEqual(generated(stack, restarted, restarted + 10 * MINUTE))
    expect((await read()).startedAt).toBe(new Date(restarted).toISOString())
  })

  it('sends observations only for the points that still exist', async () => {
    const { stack, command, after } = simulated
    const base = `/api/v1/buildings/${stack.seeded.buildingId}/points`
    await command({ running: true })
    const pointsBefore = new Set((await after(15)).map(({ pointId }) => pointId))
    const [gone, renamed] = [...pointsBefore] as [string, string]
    expect((await stack.send('DELETE', `${base}/${gone}`)).status).toBe(204)
    expect((await stack.send('PATCH', `${base}/${renamed}`, { code: 'QUITE-ANOTHER' })).status).toBe(200)
    const pointsAfter = new Set((await after(300)).map(({ pointId }) => pointId))
    expect(pointsAfter.has(gone)).toBe(false)
    expect(pointsAfter.has(renamed)).toBe(true)
  })

  it('runs in one process at a time, and in another one after the lease of the first has ended', async () => {
    const { stack, clock, command, after } = simulated
    const { db } = stack
    await command({ running: true })
    await after(10)
    const sent: number[] = []
    const outbox = createOutbox(db)
    const ingest = createIngest({ db, clock, bus: createBus(silentLog), outbox, onBatch: (bytes) => sent.push(bytes) })
    const bus = createBus(silentLog)
    const other = createSimulator({ db, clock, bus, ingest, foldingCapacity, memory, log: silentLog })
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

  it('is updated only once more, however often runOnce is called during an update', async () => {
    const { stack, clock } = simulated
    const own = { foldingCapacity, memory, ingest: async () => 0 }
    const parts = { db: stack.db, clock, bus: createBus(silentLog), log: silentLog, ...own }
    const followers = createFollowers({ ...parts, followed: () => [] })
    const automatic = createAutomatic({ ...parts, followers })
    const lease = { holder: randomUUID(), durationMs: 10_000 }
    const run = createSimulationRun(
      { ...parts, automatic, clientPoints: createClientPoints() },
      stack.seeded.buildingId,
      lease,
    )
    const current = run.runOnce()
    await Promise.resolve()
    const next = run.runOnce()
    expect(next).not.toBe(current)
    expect(run.runOnce()).toBe(next)
    await next
    expect(run.runOnce()).not.toBe(next)
    await run.close()
  })

  it('counts its failures as failed runs of the simulation, logs them once, and pauses after each', async () => {
    const { stack, clock } = simulated
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
    const db = openDatabase({ url: 'postgres://127.0.0.1:1/none', log: silentLog, applicationName: 'test' })
    const own = { foldingCapacity, memory, ingest: async () => 0 }
    const parts = { db, clock, bus: createBus(silentLog), log, ...own }
    const automatic = createAutomatic({ ...parts, followers: createFollowers({ ...parts, followed: () => [] }) })
    const { buildingId } = stack.seeded
    const lease = { holder: randomUUID(), durationMs: 10_000 }
    const run = createSimulationRun({ ...parts, automatic, clientPoints: createClientPoints() }, buildingId, lease)
    const failures = () => readRuns().simulation?.failed ?? 0
    const before = failures()
    const startedAt = performance.now()
    while (failures() < before + 2) {
      expect(await run.runOnce()).toBe(true)
      await sleep(50)
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1_000)
    expect(lines).toMatchObject([{ msg: 'background work failed, retrying', loop: 'simulation', buildingId }])
    await run.close().catch(() => undefined)
    await db.close()
  })

  it('is searched for again if the search after a command fails, and the failure is counted', async () => {
    const db = openDatabase({ url: 'postgres://127.0.0.1:1/none', log: silentLog, applicationName: 'test' })
    const own = { foldingCapacity, memory }
    const parts = { db, clock: simulated.clock, bus: createBus(silentLog), log: silentLog, ...own }
    const simulator = createSimulator({ ...parts, ingest: async () => 0 })
    const failures = () => readRuns().simulation?.failed ?? 0
    const before = failures()
    simulator.wake()
    await expect.poll(() => failures() - before).toBeGreaterThan(1)
    await simulator.close()
    await db.close()
  })

  it('counts as due work while it runs', async () => {
    const { stack, clock, command } = simulated
    const parts = { db: stack.db, clock, bus: createBus(silentLog), foldingCapacity, memory, log: silentLog }
    const simulator = createSimulator({ ...parts, ingest: async () => 0 })
    expect(await simulator.nextDue()).toBeNull()
    await command({ running: true })
    expect(await simulator.nextDue()).toEqual(clock.now())
    await command({ running: false })
    expect(await simulator.nextDue()).toBeNull()
  })
})
