import { randomUUID } from 'node:crypto'
import type { PointUpdated } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Lease } from '@storey/kit/database'
import type { ObservedBatch } from '../telemetry/index.ts'
import { createAutomatic } from './automatic.ts'
import { createClientPoints } from './client-points.ts'
import { createFollowers } from './followers.ts'
import { createSimulationRun, type SimulationParts, type SimulationRun } from './run-building.ts'
import { isAnyStarted, listUnattended, renewSimulations } from './simulation.store.ts'

export interface SimulatorParts extends SimulationParts {
  /**
   * The buildings whose changes a signed-in person follows on the live channel of this process (namespace `/changes`).
   */
  followed?(): readonly string[]
}

/** Runs all started simulations in this process, except those that another process runs. */
export interface Simulator {
  /** Continues the simulations of earlier processes. */
  start(): Promise<void>
  /** Call after a command for a simulation. */
  wake(): void
  /** Call when somebody begins to follow a building. Its simulation starts a little later. */
  wakeSoon(): void
  /** Call with every committed batch of observations. */
  observed(batch: ObservedBatch): void
  /** Resolves when all buildings are simulated up to the current time. */
  idle(): Promise<void>
  /**
   * The time of the next work: now if a simulation runs that is not automatic, otherwise null. An automatic simulation
   * runs only while somebody follows its building.
   */
  nextDue(): Promise<Date | null>
  close(): Promise<void>
}

const TICK_MS = 1_000
const RETRY = { firstMs: TICK_MS, maxMs: TICK_MS }
/**
 * How often to search for buildings that no process simulates: in the first `SOON_MS` every `SEARCH_MS`, because the
 * leases of an earlier process that died end soon; after that every `LATER_SEARCH_MS`.
 */
const SEARCH_MS = 10_000
const LATER_SEARCH_MS = 30_000
const SOON_MS = 60_000
/**
 * The delay from the moment when somebody begins to follow a building to the start of its simulation. The start takes a
 * second of CPU time, so the page is loaded first.
 */
const ARRIVAL_MS = 2_000
/**
 * How long a lease lasts. If a process dies, its buildings are simulated again after the first search that follows the
 * end of the lease.
 */
const LEASE_MS = 10_000
/** Leases are renewed every third tick. */
const RENEW_EVERY = 3

export function createSimulator({ followed = () => [], ...shared }: SimulatorParts): Simulator {
  const { db, clock, bus, log } = shared
  const followers = createFollowers({ bus, clock, followed })
  const automatic = createAutomatic({ db, clock, followers })
  const clientPoints = createClientPoints()
  const parts = { ...shared, automatic, clientPoints }
  const lease: Lease = { holder: randomUUID(), durationMs: LEASE_MS }
  const runs = new Map<string, { run: SimulationRun; waiting: number; ending?: Promise<void> }>()
  const unsubscribe = bus.subscribe(
    'building.point.updated',
    ({ buildingId, fields }) => runs.get(buildingId)?.run.observedElsewhere((fields as PointUpdated).observations),
    { from: 'others' },
  )
  const loop = createLoop({ name: 'simulation', log, run: tick, everyMs: LATER_SEARCH_MS, retry: RETRY })
  let ticks = 0
  let searchAt = Number.NEGATIVE_INFINITY
  const soonUntil = performance.now() + SOON_MS
  let closed = false

  async function findUnattended(): Promise<void> {
    searchAt = performance.now() + (performance.now() < soonUntil ? SEARCH_MS : LATER_SEARCH_MS)
    followers.announce()
    try {
      await automatic.startFollowed()
      for (const id of await listUnattended(db, lease)) {
        if (!closed && !runs.has(id)) runs.set(id, { run: createSimulationRun(parts, id, lease), waiting: 0 })
      }
    } catch (err) {
      searchAt = Number.NEGATIVE_INFINITY
      throw err
    }
  }

  async function advanceRun(id: string): Promise<void> {
    const one = runs.get(id)
    if (!one) return
    one.waiting++
    const isActive = await one.run.runOnce()
    one.waiting--
    if (isActive || closed) return
    one.ending ??= end(id, one.run)
    await one.ending
  }

  async function end(id: string, run: SimulationRun): Promise<void> {
    await run
      .close()
      .catch((err) => log.warn({ err, buildingId: id }, 'could not release the lease of a simulation, it expires'))
    runs.delete(id)
  }

  async function tick(): Promise<number> {
    ticks++
    if (runs.size > 0 && ticks % RENEW_EVERY === 0) await renewSimulations(db, lease)
    if (performance.now() >= searchAt) await findUnattended()
    // Not awaited, so that a building that takes long does not delay the others. Each run counts its own failures.
    for (const [id, { waiting }] of runs) if (waiting === 0) void advanceRun(id)
    return runs.size > 0 ? TICK_MS : searchAt - performance.now()
  }

  async function all(): Promise<void> {
    // There are two rounds, since a run that was ending in the first round may have to be started again.
    for (let round = 0; round < 2; round++) {
      await findUnattended()
      await Promise.all([...runs.keys()].map(advanceRun))
    }
    if (runs.size > 0) loop.wakeIn(TICK_MS)
  }

  return {
    async start() {
      await findUnattended()
      loop.start(TICK_MS)
    },
    wake() {
      // If the search fails, the loop repeats it, and reports the failure.
      if (!closed) all().catch(loop.wake)
    },
    wakeSoon() {
      searchAt = Math.min(searchAt, performance.now() + ARRIVAL_MS)
      loop.wakeIn(ARRIVAL_MS)
    },
    idle: all,
    observed: ({ observations }) => clientPoints.note(observations),
    nextDue: async () => ((await isAnyStarted(db)) ? clock.now() : null),
    async close() {
      closed = true
      await loop.stop()
      unsubscribe()
      followers.close()
      await Promise.all(
        [...runs].map(async ([id, { run }]) => {
          await run.close()
          // Pauses an automatic simulation: the next process continues it only if somebody follows the building. If
          // somebody follows the building at another replica, the simulation is not paused, and another replica
          // continues it.
          if (!followers.isFollowedElsewhere(id)) await automatic.pause(id)
        }),
      )
    },
  }
}
