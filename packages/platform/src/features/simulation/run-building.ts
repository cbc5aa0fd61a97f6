import { DAY_MS } from '@storey/building'
import { type PointUpdated, Problem, SIMULATION_SOURCE } from '@storey/contract'
import { createOutcomes } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable, type Lease } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Bus } from '../../bus/index.ts'
import type { Memory } from '../../memory.ts'
import { type FoldingCapacity, type Ingest, readWaiting } from '../telemetry/index.ts'
import type { Automatic } from './automatic.ts'
import type { ClientPoints } from './client-points.ts'
import { createMemoryCheck } from './memory-check.ts'
import type { Outline } from './messages.ts'
import { type ModelThread, startModel } from './model-thread.ts'
import { createRateLimit } from './rate-limit.ts'
import { nextSlice, sendSlice } from './send-slice.ts'
import { createWifiSensing, type People } from './sense-wifi.ts'
import {
  type FaultEffects,
  readFaultEffects,
  readSimulatedNodes,
  type SimulatedNodes,
  untouchedPoints,
} from './simulated-nodes.ts'
import { limitLag, markSent, simulatedAt, timestampOf } from './simulated-time.ts'
import {
  advance,
  claimSimulation,
  countPoints,
  listFaults,
  readModel,
  readSimulation,
  releaseSimulation,
  type StoredFault,
  type StoredSimulation,
} from './simulation.store.ts'
import { createWindows, type Windows } from './windows.ts'

export interface SimulationParts {
  db: Database
  clock: Clock
  bus: Bus
  ingest: Ingest
  /** While too many observations wait to be folded, the simulation sends none. */
  foldingCapacity: Pick<FoldingCapacity, 'isFree'>
  memory: Memory
  log: Log
}

export interface RunParts extends SimulationParts {
  automatic: Automatic
  clientPoints: ClientPoints
}

/** The simulation of one building in this process. */
export interface SimulationRun {
  /**
   * Simulates up to the current time, or less if memory is short, too many observations wait to be folded, or the rate
   * limit is reached. False: this process no longer simulates the building. Calls that arrive while another call is in
   * progress are combined into one call, which runs after it.
   */
  runOnce(): Promise<boolean>
  /** Call with the observations of this building that another process has stored. */
  observedElsewhere(observations: PointUpdated['observations']): void
  /** Aborts the call of `runOnce` that is in progress, and ends the model thread. */
  close(): Promise<void>
}

/**
 * The maximum number of attempts in a call of `runOnce`: a command or a change of the graph interrupts an attempt. The
 * next call continues.
 */
const MAX_ATTEMPTS = 10
/**
 * A building that would send more observations per second than this is simulated more slowly, so that other buildings
 * can be simulated too.
 */
const OBSERVATIONS_A_SECOND = 20_000
/** If this many memory checks in a row find too little memory, the model is released, because it uses much memory. */
const MAX_REFUSALS = 15
/** The pauses after failures. A building that cannot be simulated must not use much of the time of the others. */
const RETRY = { firstMs: 1_000, maxMs: 60_000 }

interface Model {
  thread: ModelThread
  outline: Outline
  windows: Windows
  senseWifi: ReturnType<typeof createWifiSensing>
}

export function createSimulationRun(parts: RunParts, buildingId: string, lease: Lease): SimulationRun {
  const { db, clock, bus, ingest, foldingCapacity, log, automatic, clientPoints } = parts
  const memory = createMemoryCheck(parts.memory)
  const outcomes = createOutcomes({ name: 'simulation', log: log.child({ buildingId }), retry: RETRY })
  let model: Model | undefined
  let nodes: SimulatedNodes | undefined
  let effects: (FaultEffects & { key: string }) | undefined
  let people: People | undefined
  /** The ids of points that clients have written to through other processes since the last call of `noteWritten`. */
  const writtenElsewhere = new Set<string>()
  const rateLimit = createRateLimit(OBSERVATIONS_A_SECOND)
  let closed = false
  let pausedUntil = 0
  let simulated: Promise<boolean> = Promise.resolve(true)
  /** The call of `runOnce` that waits for the end of the current one. */
  let next: Promise<boolean> | undefined

  async function attempt(): Promise<boolean> {
    for (let attempts = 0; attempts < MAX_ATTEMPTS && !closed; attempts++) {
      const stored = await readSimulation(db, buildingId, lease)
      if (!stored) return false
      const nowMs = clock.now().getTime()
      const target = simulatedAt(stored.state, nowMs)
      if (!stored.state.running && stored.state.sentUntilMs >= target) {
        await releaseSimulation(db, buildingId, lease)
        return false
      }
      if (!stored.isMine) {
        if (!(await claimSimulation(db, buildingId, lease))) return false
        automatic.began(buildingId)
      }
      if (stored.state.automatic && stored.state.running && automatic.hasNoFollowers(buildingId)) {
        await automatic.pause(buildingId)
        continue
      }
      const spec = model ? null : await readModel(db, buildingId)
      if (!model && !spec) return false
      if (!(model ? memory.allowsStep() : memory.allowsModel(await countPoints(db, buildingId)))) {
        await releaseIfShort()
        return true
      }
      model ??= await open(spec!)
      if (await catchUp(model, stored, nowMs)) return true
    }
    return true
  }

  async function open(spec: Parameters<typeof startModel>[0]): Promise<Model> {
    await noteWaiting()
    const thread = startModel(spec)
    try {
      const outline = await thread.outline()
      const windows = createWindows(thread, outline.points.length)
      return { thread, outline, windows, senseWifi: createWifiSensing(bus, buildingId, outline.rooms) }
    } catch (err) {
      await thread.close()
      throw err
    }
  }

  /**
   * Notes the points of the batches that wait to be folded. Other processes may have stored some of these batches, and
   * the last values that `readSimulatedNodes` reads do not include them.
   */
  async function noteWaiting(): Promise<void> {
    await db.snapshot(async (tx) => {
      for await (const observations of readWaiting(tx)) clientPoints.note(observations)
    })
  }

  /**
   * Adds the points of `writtenElsewhere` to the points of clients. The events of other processes have the ids of
   * points, not their numbers.
   */
  function noteWritten({ pointIds, numbers }: SimulatedNodes): void {
    if (writtenElsewhere.size === 0) return
    for (const [i, id] of pointIds.entries()) {
      if (id !== undefined && writtenElsewhere.has(id)) clientPoints.seen.add(numbers[i]!)
    }
    writtenElsewhere.clear()
  }

  /** False: the state or the graph changed meanwhile, and must be read again. */
  async function catchUp(model: Model, stored: StoredSimulation, nowMs: number): Promise<boolean> {
    const { outline, windows } = model
    let state = limitLag(stored.state, nowMs)
    if (state !== stored.state && !(await advance(db, buildingId, lease, { ...stored, state }))) return false
    const target = simulatedAt(state, nowMs)
    if (nodes?.revision !== stored.revision) nodes = await readSimulatedNodes(db, buildingId, outline, stored.revision)
    noteWritten(nodes)
    const { faults, stuck } = await effectsOf(nodes, await listFaults(db, buildingId, state.sentUntilMs - 3 * DAY_MS))
    windows.setStuckDampers(stuck)
    const pointIds = state.automatic ? untouchedPoints(nodes, clientPoints.seen) : nodes.pointIds
    const maySend = () => rateLimit.isFree() && foldingCapacity.isFree() && memory.allowsStep()
    while (state.sentUntilMs < target && maySend()) {
      const { sentUntilMs, speed } = state
      const window = await windows.at(sentUntilMs + 1)
      windows.prepare(sentUntilMs + 1, speed)
      const slice = nextSlice(window, sentUntilMs, target)
      const current = state
      const sending = { buildingId, ingest, pointIds, faults, timestampOf: (ms: number) => timestampOf(current, ms) }
      try {
        if (!(await sendSlice(slice, { ...sending, isOver: () => closed }))) return true
      } catch (err) {
        // A point was deleted since the graph was read.
        if (!(err instanceof Problem && err.code === 'UNKNOWN_POINTS')) throw err
        nodes = undefined
        return false
      }
      rateLimit.spend(slice.end - slice.start)
      state = markSent(state, slice.untilMs)
      if (!(await advance(db, buildingId, lease, { ...stored, state }))) return false
    }
    if (state.running) {
      people = await peopleAt(model.thread, state.sentUntilMs)
      model.senseWifi({ simulatedMs: state.sentUntilMs, realMs: nowMs, people, rooms: nodes.rooms })
    }
    return true
  }

  async function effectsOf(simulated: SimulatedNodes, stored: readonly StoredFault[]): Promise<FaultEffects> {
    const key = [simulated.revision, ...stored.map(({ id, endMs }) => `${id} ${endMs}`)].join()
    if (effects?.key !== key) effects = { ...(await readFaultEffects(db, buildingId, stored, simulated)), key }
    return effects
  }

  async function peopleAt(thread: ModelThread, atMs: number): Promise<People> {
    const dayStart = Math.floor(atMs / DAY_MS) * DAY_MS
    if (people?.dayStart === dayStart) return people
    const [before, today] = await Promise.all([thread.people(dayStart - DAY_MS), thread.people(dayStart)])
    return { dayStart, before, today }
  }

  async function releaseIfShort(): Promise<void> {
    if (memory.refusals() === MAX_REFUSALS) log.warn({ buildingId }, 'memory is short, simulation waits')
    if (memory.refusals() >= MAX_REFUSALS) await release()
  }

  async function release(): Promise<void> {
    const { thread } = model ?? {}
    model = undefined
    nodes = undefined
    people = undefined
    effects = undefined
    await thread?.close()
  }

  return {
    runOnce() {
      if (next) return next
      next = simulated.then(async () => {
        next = undefined
        if (closed) return false
        if (performance.now() < pausedUntil) return true
        try {
          const isActive = await attempt()
          outcomes.succeeded()
          return isActive
        } catch (err) {
          if (closed) return true
          pausedUntil = performance.now() + outcomes.failed(err)
          if (!(err instanceof Problem) && !isUnavailable(err)) await release()
          return true
        }
      })
      simulated = next
      return simulated
    },
    observedElsewhere(observations) {
      for (const { pointId, source } of observations) if (source !== SIMULATION_SOURCE) writtenElsewhere.add(pointId)
    },
    async close() {
      closed = true
      // The call in progress may wait for the model thread. The result of that call is not needed, so the thread is
      // ended first.
      const ending = release()
      await simulated
      await ending
      await release()
      await releaseSimulation(db, buildingId, lease)
    },
  }
}
