import { DAY_MS } from '@storey/building'
import { Problem } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable, type Lease } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Bus } from '../../bus/index.ts'
import type { Ingest } from '../telemetry/index.ts'
import type { Outline } from './messages.ts'
import { type ModelThread, openModel } from './model-thread.ts'
import { createPace } from './pace.ts'
import { nextSlice, sendSlice } from './send-slice.ts'
import { createWifiSensing, type People } from './sense-wifi.ts'
import { type Damage, readDamage, readSimulatedNodes, type SimulatedNodes } from './simulated-nodes.ts'
import { limitLag, sentTo, simulatedAt, stampOf } from './simulated-time.ts'
import {
  advance,
  claimSimulation,
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
  log: Log
}

/** The simulation of one building in this process. */
export interface SimulationRun {
  /** Brings it up to the present. False: it is no longer simulated here. */
  live(): Promise<boolean>
  /** Aborts the running step, and ends the model thread. */
  close(): Promise<void>
}

/** How often in a row a command or a change of the graph may interrupt. */
const MAX_TRIES = 10
/** A building that would send more than this is simulated more slowly, so that others get their turn. */
const OBSERVATIONS_A_SECOND = 20_000
/** Pauses after failures, longer each time. */
const REST_MS = [1_000, 2_000, 5_000, 15_000, 60_000]

interface Model {
  thread: ModelThread
  outline: Outline
  windows: Windows
  senseWifi: ReturnType<typeof createWifiSensing>
}

export function createSimulationRun(parts: SimulationParts, buildingId: string, lease: Lease): SimulationRun {
  const { db, clock, bus, ingest, log } = parts
  let model: Model | undefined
  let nodes: SimulatedNodes | undefined
  let damage: (Damage & { key: string }) | undefined
  let people: People | undefined
  const pace = createPace(OBSERVATIONS_A_SECOND)
  let closed = false
  let failures = 0
  let restUntil = 0
  let simulated: Promise<boolean> = Promise.resolve(true)

  async function live(): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES && !closed; tries++) {
      const stored = await readSimulation(db, buildingId, lease)
      if (!stored) return false
      const nowMs = clock.now().getTime()
      const target = simulatedAt(stored.course, nowMs)
      if (!stored.course.running && stored.course.sentUntilMs >= target) {
        await releaseSimulation(db, buildingId, lease)
        return false
      }
      if (!stored.isMine && !(await claimSimulation(db, buildingId, lease))) return false
      const spec = model ? null : await readModel(db, buildingId)
      if (!model && !spec) return false
      model ??= await open(spec!)
      if (await catchUp(model, stored, nowMs)) return true
    }
    return true
  }

  async function open(spec: Parameters<typeof openModel>[0]): Promise<Model> {
    const thread = openModel(spec)
    try {
      const outline = await thread.outline()
      const windows = createWindows(thread, outline.points.length)
      return { thread, outline, windows, senseWifi: createWifiSensing(bus, buildingId, outline.rooms) }
    } catch (err) {
      await thread.close()
      throw err
    }
  }

  /** False: the state changed meanwhile, and must be read again. */
  async function catchUp(model: Model, stored: StoredSimulation, nowMs: number): Promise<boolean> {
    const { outline, windows } = model
    let course = limitLag(stored.course, nowMs)
    if (course !== stored.course && !(await advance(db, buildingId, lease, { ...stored, course }))) return false
    const target = simulatedAt(course, nowMs)
    if (nodes?.revision !== stored.revision) nodes = await readSimulatedNodes(db, buildingId, outline, stored.revision)
    const { faults, stuck } = await damageOf(nodes, await listFaults(db, buildingId, course.sentUntilMs - 3 * DAY_MS))
    windows.stick(stuck)
    const { pointIds } = nodes
    while (course.sentUntilMs < target && pace.isFree()) {
      const { sentUntilMs, speed } = course
      const window = await windows.holding(sentUntilMs + 1)
      windows.prepare(sentUntilMs + 1, speed)
      const slice = nextSlice(window, sentUntilMs, target)
      const line = course
      const sending = { buildingId, ingest, pointIds, faults, stampOf: (ms: number) => stampOf(line, ms) }
      try {
        if (!(await sendSlice(slice, { ...sending, isOver: () => closed }))) return true
      } catch (err) {
        // A point was deleted since the graph was read.
        if (!(err instanceof Problem && err.code === 'UNKNOWN_POINTS')) throw err
        nodes = undefined
        return false
      }
      pace.spend(slice.end - slice.start)
      course = sentTo(course, slice.untilMs)
      if (!(await advance(db, buildingId, lease, { ...stored, course }))) return false
    }
    if (course.running) {
      people = await peopleAt(model.thread, course.sentUntilMs)
      model.senseWifi({ simulatedMs: course.sentUntilMs, realMs: nowMs, people, rooms: nodes.rooms })
    }
    return true
  }

  async function damageOf(simulated: SimulatedNodes, stored: readonly StoredFault[]): Promise<Damage> {
    const key = [simulated.revision, ...stored.map(({ id, endMs }) => `${id} ${endMs}`)].join()
    if (damage?.key !== key) damage = { ...(await readDamage(db, buildingId, stored, simulated)), key }
    return damage
  }

  async function peopleAt(thread: ModelThread, atMs: number): Promise<People> {
    const dayStart = Math.floor(atMs / DAY_MS) * DAY_MS
    if (people?.dayStart === dayStart) return people
    const [before, today] = await Promise.all([thread.people(dayStart - DAY_MS), thread.people(dayStart)])
    return { dayStart, before, today }
  }

  async function release(): Promise<void> {
    const { thread } = model ?? {}
    model = undefined
    nodes = undefined
    people = undefined
    damage = undefined
    await thread?.close()
  }

  return {
    live() {
      simulated = simulated.then(async () => {
        if (closed) return false
        if (performance.now() < restUntil) return true
        try {
          const isActive = await live()
          failures = 0
          return isActive
        } catch (err) {
          if (!closed) log.warn({ err, buildingId }, 'simulation failed, retrying')
          restUntil = performance.now() + REST_MS[Math.min(failures++, REST_MS.length - 1)]!
          if (!(err instanceof Problem) && !isUnavailable(err)) await release()
          return true
        }
      })
      return simulated
    },
    async close() {
      closed = true
      // Not awaited while the thread is busy: its result is no longer needed.
      const ending = release()
      await simulated
      await ending
      await release()
      await releaseSimulation(db, buildingId, lease)
    },
  }
}
