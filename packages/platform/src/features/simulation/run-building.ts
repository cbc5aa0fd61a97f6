import { DAY_MS } from '@storey/building'
import { Problem } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUnavailable, type Lease } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Bus } from '../../bus/index.ts'
import type { Ingest } from '../telemetry/index.ts'
import { type Damage, type LivingNodes, readDamage, readLivingNodes } from './living-nodes.ts'
import type { Outline } from './messages.ts'
import { type ModelThread, openModel } from './model-thread.ts'
import { createPace } from './pace.ts'
import { nextSlice, sendSlice } from './send-slice.ts'
import { createWifiSensing, type People } from './sense-wifi.ts'
import { sentTo, simulatedAt, stampOf, withinReach } from './simulated-time.ts'
import {
  advance,
  listFaults,
  readModel,
  readSimulation,
  releaseSimulation,
  type StoredFault,
  type StoredSimulation,
  takeSimulation,
} from './simulation.store.ts'
import { createWindows, type Windows } from './windows.ts'

export interface SimulationParts {
  db: Database
  clock: Clock
  bus: Bus
  ingest: Ingest
  log: Log
}

/** One building that lives in this process. */
export interface Life {
  /** Brings it up to the present. False: it is not simulated here any more. */
  live(): Promise<boolean>
  /** Breaks off what goes on, and lets the model go. */
  close(): Promise<void>
}

/** How often in a row an order, or a change of the graph, may come between. */
const MAX_TRIES = 10
/** A building that would say more than this lives more slowly, so that others get their turn. */
const OBSERVATIONS_A_SECOND = 20_000
/** A building that could not be simulated rests, longer each time. */
const REST_MS = [1_000, 2_000, 5_000, 15_000, 60_000]

interface Model {
  thread: ModelThread
  outline: Outline
  windows: Windows
  senseWifi: ReturnType<typeof createWifiSensing>
}

export function createLife(parts: SimulationParts, buildingId: string, lease: Lease): Life {
  const { db, clock, bus, ingest, log } = parts
  let model: Model | undefined
  let nodes: LivingNodes | undefined
  let damage: (Damage & { key: string }) | undefined
  let people: People | undefined
  const pace = createPace(OBSERVATIONS_A_SECOND)
  let closed = false
  let failures = 0
  let restUntil = 0
  let living: Promise<boolean> = Promise.resolve(true)

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
      if (!stored.isMine && !(await takeSimulation(db, buildingId, lease))) return false
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

  /** False: something came between, and all is to be read again. */
  async function catchUp(model: Model, stored: StoredSimulation, nowMs: number): Promise<boolean> {
    const { outline, windows } = model
    let course = withinReach(stored.course, nowMs)
    if (course !== stored.course && !(await advance(db, buildingId, lease, { ...stored, course }))) return false
    const target = simulatedAt(course, nowMs)
    if (nodes?.revision !== stored.revision) nodes = await readLivingNodes(db, buildingId, outline, stored.revision)
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
        // A point has gone since the graph was read.
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

  async function damageOf(living: LivingNodes, stored: readonly StoredFault[]): Promise<Damage> {
    const key = [living.revision, ...stored.map(({ id, endMs }) => `${id} ${endMs}`)].join()
    if (damage?.key !== key) damage = { ...(await readDamage(db, buildingId, stored, living)), key }
    return damage
  }

  async function peopleAt(thread: ModelThread, atMs: number): Promise<People> {
    const dayStart = Math.floor(atMs / DAY_MS) * DAY_MS
    if (people?.dayStart === dayStart) return people
    const [before, today] = await Promise.all([thread.people(dayStart - DAY_MS), thread.people(dayStart)])
    return { dayStart, before, today }
  }

  async function letGo(): Promise<void> {
    const { thread } = model ?? {}
    model = undefined
    nodes = undefined
    people = undefined
    damage = undefined
    await thread?.close()
  }

  return {
    live() {
      living = living.then(async () => {
        if (closed) return false
        if (performance.now() < restUntil) return true
        try {
          const goesOn = await live()
          failures = 0
          return goesOn
        } catch (err) {
          if (!closed) log.warn({ err, buildingId }, 'a building could not be simulated yet')
          restUntil = performance.now() + REST_MS[Math.min(failures++, REST_MS.length - 1)]!
          if (!(err instanceof Problem) && !isUnavailable(err)) await letGo()
          return true
        }
      })
      return living
    },
    async close() {
      closed = true
      // A thread that is at work would be waited for: what it would answer is not wanted any more.
      const ending = letGo()
      await living
      await ending
      await letGo()
      await releaseSimulation(db, buildingId, lease)
    },
  }
}
