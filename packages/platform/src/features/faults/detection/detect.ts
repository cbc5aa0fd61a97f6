import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PointUpdated } from '@storey/contract'
import { createLoop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import type { ObservedBatch } from '../../telemetry/index.ts'
import { DEFAULT_RULES } from '../default-rules.ts'
import { insertDefaultRules } from '../fault-rules.store.ts'
import { inOrderOfTime } from './in-order.ts'
import { observe } from './observe.ts'
import { columnsOf } from './received.ts'
import type { WatchList } from './watch-list.ts'
import { createWatchedBuildings } from './watched-buildings.ts'
import type { WriteParts } from './write-changes.ts'

/**
 * Detects faults in stored observations. Ingest does not wait for detection, and does not fail when detection fails.
 */
export interface FaultDetection {
  /**
   * Creates the default rules of buildings, and starts detection. Faults in the stored last values are detected soon
   * after that.
   */
  start(): Promise<void>
  observed(batch: ObservedBatch): void
  /**
   * Call this when the rules of a building have changed. Resolves when detection uses the new rules, or when an attempt
   * to load them has failed. A failed attempt is repeated in the background.
   */
  rulesChanged(buildingId: string): Promise<void>
  /**
   * Checks for silent points, and whether graphs changed or another process changed rules. This also happens every half
   * minute without a call.
   */
  check(): Promise<void>
  /** Resolves when all observations so far are checked and all faults are written, or when this has failed once. */
  idle(): Promise<void>
  /** The first time at which a point counts as silent, or null if there is none. Default rules are ignored. */
  dueAt(): Date | null
  close(): Promise<void>
}

/** Observations that this process (`batch`) or another process (`observed`) has stored. */
type Received = { buildingId: string; at: number; count: number } & (
  | { batch: ObservedBatch; observed?: never }
  | { observed: PointUpdated['observations']; batch?: never }
)

const CHECK_EVERY_MS = 30_000
const RETRY_MS = 1_000
/** How many observations are checked before other work can run. */
const BATCH = 50_000
/** How many observations may wait while the database is unavailable. Beyond that the oldest are dropped. */
const MAX_WAITING = 2_000_000

export function createFaultDetection(parts: WriteParts & { log: Log }): FaultDetection {
  const { db, clock, bus, log } = parts
  const buildings = createWatchedBuildings(parts)
  /** The `points` objects for which the watch list is current. Ingest passes another object after the graph changed. */
  const known = new WeakSet<object>()
  const stale = new Set<string>()
  const onRefreshed = new Set<() => void>()
  let queue: Received[] = []
  let waiting = 0
  /** Whether observations were dropped since the queue was empty. */
  let isDropping = false
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
      notifyRefreshed()
    }
    return checkAt - performance.now()
  }

  async function work(): Promise<void> {
    // The work starts in a later turn of the event loop, so that ingest continues first.
    await nextTurn()
    while (queue.length > 0 || stale.size > 0 || isCheckDue || buildings.hasChanges()) {
      await processQueue()
      isDropping = false
      await buildings.write()
      for (const buildingId of stale) {
        // The id is removed first, so that a rule that changes during the refresh is read too.
        stale.delete(buildingId)
        await buildings.refresh(buildingId).catch((err) => {
          stale.add(buildingId)
          throw err
        })
      }
      notifyRefreshed()
      if (!isCheckDue) continue
      await buildings.check()
      isCheckDue = false
      checkAt = performance.now() + CHECK_EVERY_MS
    }
  }

  function notifyRefreshed(): void {
    for (const listener of onRefreshed) listener()
    onRefreshed.clear()
  }

  async function processQueue(): Promise<void> {
    const taken = queue
    queue = []
    let checked = 0
    for (const [i, received] of taken.entries()) {
      try {
        if (!isReady(received)) await makeReady(received)
      } catch (err) {
        queue = [...taken.slice(i), ...queue]
        throw err
      }
      checkObservations(received)
      received.batch?.free()
      waiting -= received.count
      checked += received.count
      if (checked < BATCH) continue
      checked = 0
      await nextTurn()
    }
  }

  const isReady = ({ buildingId, batch }: Received) =>
    batch === undefined ? buildings.get(buildingId)?.numbers !== undefined : known.has(batch.points)

  /** Reloads the watch list, since some of the observed points may be newer than the list. */
  async function makeReady({ buildingId, batch }: Received): Promise<void> {
    const before = buildings.get(buildingId)?.list
    await buildings.refresh(buildingId)
    if (batch === undefined) return await buildings.loadNumbers(buildingId)
    const list = buildings.get(buildingId)?.list
    if (before !== undefined && list !== undefined) forgetLastOf(list, before, batch.observations)
    known.add(batch.points)
  }

  function checkObservations({ buildingId, at, batch, observed }: Received): void {
    const watched = buildings.get(buildingId)
    if (watched === undefined) return
    const observations = batch?.observations ?? columnsOf(observed!, watched.numbers!)
    observe(watched.list, inOrderOfTime(observations), at, watched.changes)
  }

  function drop({ buildingId, count, batch }: Received): void {
    waiting -= count
    batch?.free()
    if (!isDropping) log.warn({ buildingId }, 'too many observations wait for fault detection, dropping the oldest')
    isDropping = true
  }

  function receive(received: Received): void {
    if (isClosed) return
    queue.push(received)
    waiting += received.count
    while (waiting > MAX_WAITING && queue.length > 1) drop(queue.shift()!)
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
      await insertDefaultRules(db, DEFAULT_RULES, clock.now())
      const listen = ({ buildingId, fields }: { buildingId: string; fields: Record<string, unknown> }) => {
        const { observations: observed } = fields as PointUpdated
        receive({ buildingId, at: now(), count: observed.length, observed })
      }
      unsubscribe = bus.subscribe('building.point.updated', listen, { from: 'others' })
      void check()
    },
    observed: (batch) => receive({ buildingId: batch.buildingId, at: now(), count: batch.observations.count, batch }),
    rulesChanged: (buildingId) =>
      new Promise((resolve) => {
        stale.add(buildingId)
        onRefreshed.add(resolve)
        if (isClosed) resolve()
        loop.wake()
      }),
    check,
    idle: () => loop.idle(),
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

/**
 * The stored last values of new points already include this batch. They are forgotten, so that the observations of the
 * batch do not count as late, and are checked as if nothing had been received before.
 */
function forgetLastOf(list: WatchList, before: WatchList, { count, points }: ObservedBatch['observations']): void {
  for (let i = 0; i < count; i++) {
    const slot = list.slots[points[i]! - list.base]
    if (!slot || before.slots[points[i]! - before.base]) continue
    list.lastAt[slot] = Number.NEGATIVE_INFINITY
    list.lastValue[slot] = Number.NaN
    list.lastValueAt[slot] = Number.NEGATIVE_INFINITY
    list.since.fill(Number.NaN, list.starts[slot], list.starts[slot + 1])
  }
}
