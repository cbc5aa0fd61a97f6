import { randomUUID } from 'node:crypto'
import { sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpenBus } from '../../bus/bus.ts'
import { createNatsBus } from '../../bus/nats-bus.ts'
import { unwatched } from '../../memory.ts'
import { type SmallNats, startSmallNats } from '../../testing/small-nats.ts'
import { createIngest, type Ingest } from '../telemetry/ingest/ingest.ts'
import { createOutbox } from '../webhooks/outbox/outbox.ts'
import { createAutomatic } from './automatic.ts'
import { createClientPoints } from './client-points.ts'
import { createFollowers } from './followers.ts'
import { createSimulationRun } from './run-building.ts'
import { createSimulator, type Simulator } from './simulator.ts'
import { generated, lines, type SimulatedStack, startSimulatedStack } from './testing/simulated-stack.ts'

const MINUTE = 60_000
const CREATED = '2026-03-03T08:02:00.000Z'
const createdMs = Date.parse(CREATED)
const memory = unwatched(1024 ** 3)
const foldingCapacity = { isFree: () => true }

let nats: SmallNats
let simulated: SimulatedStack
/** The parts of another replica. The persons that follow the building are connected to it, and none to the stack. */
let bus: OpenBus
let ingest: Ingest
let other: Simulator
let buildingId: string
beforeEach(async () => {
  nats = await startSmallNats()
  simulated = await startSimulatedStack(CREATED, { natsUrls: [nats.url], isShared: true })
  const { stack, clock } = simulated
  const { db } = stack
  buildingId = stack.seeded.buildingId
  bus = createNatsBus({ urls: [nats.url], name: 'other', log: silentLog })
  bus.follow([buildingId])
  await bus.untilConnected(10_000)
  ingest = createIngest({ db, clock, bus, outbox: createOutbox(db), onBatch: () => undefined })
  const followed = () => [buildingId]
  other = createSimulator({ db, clock, bus, ingest, foldingCapacity, memory, log: silentLog, followed })
})
afterEach(async () => {
  await other.close()
  await simulated.stack.close()
  await bus.close()
  await nats.close()
})

/** Starts the simulation because a person follows the building, and waits until the stack simulates it. */
async function start(): Promise<void> {
  const { stack, clock } = simulated
  const followers = createFollowers({ bus, clock, followed: () => [buildingId] })
  await createAutomatic({ db: stack.db, clock, followers }).startFollowed()
  await stack.simulated()
}

/** Resolves when the stack has received all events that the other replica has published so far. */
async function untilReceived(): Promise<void> {
  const received = Promise.withResolvers<void>()
  const end = simulated.stack
    .bus()
    .subscribe('service-desk.ticket.updated', () => received.resolve(), { from: 'others' })
  bus.publish(buildingId, 'service-desk.ticket.updated', () => ({}))
  await received.promise
  end()
}

/** Lets time pass at both replicas, in steps shorter than the five minutes after which a simulation pauses. */
async function pass(minutes: number) {
  const sent = []
  for (let passed = 0; passed < minutes; passed += 4) {
    simulated.clock.advance(4 * MINUTE)
    await other.idle()
    await untilReceived()
    sent.push(...(await simulated.after(0)))
  }
  return sent.filter(({ source }) => source === 'simulator')
}

const stored = () =>
  simulated.stack.db.row<{ running: boolean; version: number; holder: string | null }>(
    sql`select running, version, lease_holder as holder from simulations where building_id = ${buildingId}`,
  )

describe('an automatic simulation of one of several replicas', () => {
  it('[SIM-08] continues while a person follows the building at another replica, and then pauses', async () => {
    await start()
    const before = await stored()
    expect(before).toMatchObject({ running: true, holder: expect.any(String) })
    expect(lines(await pass(16))).toEqual(generated(simulated.stack, createdMs, createdMs + 16 * MINUTE))
    expect(await stored()).toEqual(before)
    await simulated.after(4)
    expect(await stored()).toEqual(before)
    await simulated.after(2)
    expect(await stored()).toMatchObject({ running: false })
  })

  it('[SIM-08] is not paused by a replica that does not simulate the building', async () => {
    await start()
    const { stack, clock } = simulated
    const own = { ingest, foldingCapacity, memory, clientPoints: createClientPoints() }
    const parts = { db: stack.db, clock, bus, log: silentLog, ...own }
    const automatic = createAutomatic({ ...parts, followers: createFollowers({ ...parts, followed: () => [] }) })
    const lease = { holder: randomUUID(), durationMs: 10_000 }
    await pass(8)
    const before = await stored()
    const run = createSimulationRun({ ...parts, automatic }, buildingId, lease)
    expect(await run.runOnce()).toBe(false)
    expect(await stored()).toEqual(before)
    await run.close()
  })

  it('[SIM-08] runs for five minutes at a replica that takes it over and knows no person who follows the building', async () => {
    await start()
    const { version } = (await stored())!
    await simulated.stack.db.run(sql`update simulations set lease_holder = gen_random_uuid()`)
    simulated.clock.advance(10 * MINUTE)
    // The first call ends the run that has lost its lease. The second call takes over the simulation, since the lease
    // of the other process has ended.
    await simulated.stack.simulated()
    await simulated.stack.db.run(sql`update simulations set leased_until = now() - interval '1 second'`)
    await simulated.stack.simulated()
    expect(await stored()).toMatchObject({ running: true, version })
    await simulated.after(4)
    expect(await stored()).toMatchObject({ running: true, version })
    await simulated.after(2)
    expect(await stored()).toMatchObject({ running: false })
  })

  it('[SIM-08] is not paused when its process ends, if a person follows the building at another replica', async () => {
    await start()
    await pass(4)
    const before = await stored()
    await simulated.stack.restart()
    expect(await stored()).toMatchObject({ running: true, version: before!.version })
  })

  it('[SIM-10] does not write to points that a client has written to at another replica', async () => {
    const { stack, generated: all } = simulated
    const pointsIn = (from: number) =>
      new Set(all(createdMs + from * MINUTE, createdMs + (from + 8) * MINUTE).map(({ pointId }) => pointId))
    const later = pointsIn(8)
    const [before, during] = [...pointsIn(0)].filter((id) => later.has(id)) as [string, string]
    const write = (pointId: string) =>
      ingest(buildingId, Buffer.from(JSON.stringify({ observations: [{ pointId, value: '35.5' }] })))
    // The batch waits to be folded when the simulation starts.
    await write(before)
    await start()
    const untouchedBy =
      (...ids: string[]) =>
      (line: string) =>
        !ids.includes(line.split(' ')[0]!)
    expect(lines(await pass(8))).toEqual(
      generated(stack, createdMs, createdMs + 8 * MINUTE).filter(untouchedBy(before)),
    )
    await write(during)
    expect(lines(await pass(8))).toEqual(
      generated(stack, createdMs + 8 * MINUTE, createdMs + 16 * MINUTE).filter(untouchedBy(before, during)),
    )
  })
})
