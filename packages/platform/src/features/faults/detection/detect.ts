import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PointUpdated } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import type { ObservedBatch } from '../../telemetry/index.ts'
import { DEFAULT_RULES } from '../default-rules.ts'
import { giveRules } from '../fault-rules.store.ts'
import { columnsOf } from './heard.ts'
import { inOrderOfTime } from './in-order.ts'
import type { KeepParts } from './keep-changes.ts'
import { observe } from './observe.ts'
import type { WatchList } from './watch-list.ts'
import { createWatchedBuildings } from './watched-buildings.ts'

/** Looks for faults in what is observed, after it is stored: no ingest waits for it, or fails with it. */
export interface FaultDetection {
  /** Gives buildings the rules that come with them, and begins to look. What the last values show is found soon after. */
  start(): Promise<void>
  observed(batch: ObservedBatch): void
  /** The rules of a building have changed. Done when they are looked by, or when that must wait for the database. */
  rulesChanged(buildingId: string): Promise<void>
  /** What is done every half minute: is anybody silent, has the graph changed, or a rule elsewhere? */
  check(): Promise<void>
  /** All that was observed so far has been looked at, and what was found is written. */
  settled(): Promise<void>
  /** When a point that a rule of the tenant's own waits for would be silent; the rules of the house wait for nobody. */
  dueAt(): Date | null
  close(): Promise<void>
}

/** Observed here, or told by another process. */
type Heard = { buildingId: string; at: number; count: number } & (
  | { batch: ObservedBatch; told?: never }
  | { told: PointUpdated['observations']; batch?: never }
)

const CHECK_EVERY_MS = 30_000
const RETRY_MS = 1_000
/** So many observations are looked at before others get their turn. */
const AT_ONCE = 50_000
/** So many may wait while the database is away: then the oldest go. */
const MOST_WAITING = 2_000_000

export function createFaultDetection(parts: KeepParts & { log: Log }): FaultDetection {
  const { db, clock, bus, log } = parts
  const buildings = createWatchedBuildings(parts)
  /** Points as ingest knew them, where the watch lists are at least as new. */
  const known = new WeakSet<object>()
  const stale = new Set<string>()
  const onRefreshed = new Set<() => void>()
  let queue: Heard[] = []
  let waiting = 0
  let isCheckDue = false
  let isClosed = false
  let checkAt = Number.POSITIVE_INFINITY
  let unsubscribe: () => void = () => undefined
  const loop = createLoop({ name: 'fault-detection', log, run, retry: { firstMs: RETRY_MS, maxMs: RETRY_MS } })

  async function run(): Promise<number> {
    isCheckDue ||= performance.now() >= checkAt
    try {
      await work()
    } finally {
      tellRefreshed()
    }
    return checkAt - performance.now()
  }

  async function work(): Promise<void> {
    // Later, so that whoever tells of observations goes on first.
    await nextTurn()
    while (queue.length > 0 || stale.size > 0 || isCheckDue || buildings.hasChanges()) {
      await lookAtQueue()
      await buildings.write()
      for (const buildingId of stale) {
        await buildings.refresh(buildingId)
        stale.delete(buildingId)
      }
      tellRefreshed()
      if (!isCheckDue) continue
      await buildings.check()
      isCheckDue = false
      checkAt = performance.now() + CHECK_EVERY_MS
    }
  }

  function tellRefreshed(): void {
    for (const tell of onRefreshed) tell()
    onRefreshed.clear()
  }

  async function lookAtQueue(): Promise<void> {
    const taken = queue
    queue = []
    let looked = 0
    for (const [i, heard] of taken.entries()) {
      try {
        if (!isReady(heard)) await makeReady(heard)
      } catch (err) {
        queue = [...taken.slice(i), ...queue]
        throw err
      }
      look(heard)
      waiting -= heard.count
      looked += heard.count
      if (looked < AT_ONCE) continue
      looked = 0
      await nextTurn()
    }
  }

  const isReady = ({ buildingId, batch }: Heard) =>
    batch === undefined ? buildings.get(buildingId)?.numbers !== undefined : known.has(batch.points)

  /** Points that came since the watch list was made may be among the observed ones. */
  async function makeReady({ buildingId, batch }: Heard): Promise<void> {
    const before = buildings.get(buildingId)?.list
    await buildings.refresh(buildingId)
    if (batch === undefined) return await buildings.nameNumbers(buildingId)
    const list = buildings.get(buildingId)?.list
    if (before !== undefined && list !== undefined) forgetLastOf(list, before, batch.observations)
    known.add(batch.points)
  }

  function look({ buildingId, at, batch, told }: Heard): void {
    const watched = buildings.get(buildingId)
    if (watched === undefined) return
    const observations = batch?.observations ?? columnsOf(told!, watched.numbers!)
    observe(watched.list, inOrderOfTime(observations), at, watched.changes)
  }

  function hear(heard: Heard): void {
    if (isClosed) return
    queue.push(heard)
    waiting += heard.count
    while (waiting > MOST_WAITING && queue.length > 1) waiting -= queue.shift()!.count
    loop.wake()
  }

  const now = () => clock.now().getTime()
  const check = async () => {
    isCheckDue = true
    await loop.runNow().catch(() => undefined)
    await loop.idle()
  }

  return {
    async start() {
      await giveRules(db, DEFAULT_RULES, clock.now())
      const listen = ({ buildingId, fields }: { buildingId: string; fields: Record<string, unknown> }) => {
        const { observations: told } = fields as PointUpdated
        hear({ buildingId, at: now(), count: told.length, told })
      }
      unsubscribe = bus.subscribe('building.point.updated', listen, { from: 'others' })
      void check()
    },
    observed: (batch) => hear({ buildingId: batch.buildingId, at: now(), count: batch.observations.count, batch }),
    rulesChanged: (buildingId) =>
      new Promise((resolve) => {
        stale.add(buildingId)
        onRefreshed.add(resolve)
        if (isClosed) resolve()
        loop.wake()
      }),
    check,
    settled: () => loop.idle(),
    dueAt() {
      const next = buildings.nextSilence()
      return Number.isFinite(next) ? new Date(next) : null
    },
    async close() {
      unsubscribe()
      await loop.idle()
      isClosed = true
      await loop.stop()
    },
  }
}

/** The last values of points that are new were read with this batch already in them: all of it is to be looked at. */
function forgetLastOf(list: WatchList, before: WatchList, { count, points }: ObservedBatch['observations']): void {
  for (let i = 0; i < count; i++) {
    const slot = list.slots[points[i]! - list.base]
    if (slot && !before.slots[points[i]! - before.base]) list.lastAt[slot] = Number.NEGATIVE_INFINITY
  }
}
