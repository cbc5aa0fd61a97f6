import { activeSpan, recordWait, runInSpan, type Span } from '@storey/kit/tracing'
import { encodePart } from '../storage/batch-codec.ts'
import type { NewBatch } from './ingest.store.ts'
import { type CheckedFor, newBatch, spanOf } from './new-batch.ts'
import { clear, emptyObservations, type Observations, widen } from './observations.ts'

/** Stores a batch. False: the graph or the subscriptions have changed since they were read. */
export type StoreBatch = (batch: NewBatch, version: number) => Promise<boolean>

/** A database connection over which batches are stored, one after the other. */
export interface StoreConnection {
  store: StoreBatch
  /** Whether batches can be stored over this connection. Once false, it stays false. */
  isUsable(): boolean
  /** Whether other work waits for a connection. */
  isWanted(): boolean
}

/** Calls `work` with a connection, which is released when the work ends. */
export type WithConnection = (work: (connection: StoreConnection) => Promise<void>) => Promise<void>

/**
 * After a commit, the clients whose requests it stored are expected to send their next requests within `HOLD_MS`. Until
 * then, a batch waits for as many requests as were in progress, but not for more than `ENOUGH`. Without this wait, and
 * with four clients, batches of one request and batches of three requests would alternate. More commits would then be
 * needed, and a commit takes about as much work as everything else that is done for two requests.
 */
const HOLD_MS = 2
const ENOUGH = 4
/**
 * If a commit takes this long while requests wait for its end, the next batch is sent over another connection, before
 * the commit ends.
 */
const SLOW_MS = 5
const MAX_CONNECTIONS = 2
/**
 * While other work waits for a connection, a connection is released when it has stored `BATCHES_A_TURN` batches, or
 * when a batch ends at least `TURN_MS` after the connection was opened.
 */
const BATCHES_A_TURN = 4
const TURN_MS = 10
/** How long a connection without a batch is kept. */
const KEPT_MS = 5
/** If a connection has not been opened within this time, another one is requested. */
const SLOW_OPENING_MS = 50
/** If a connection could not be opened while there was another one, no second connection is requested for this long. */
const PAUSE_MS = 1_000
/** A group with this many observations accepts no other request. */
const FULL = 20_000
/**
 * A request with at least this many observations is a separate part. Smaller requests share a part, because each part
 * takes some 50 bytes, and time to read.
 */
const LARGE = 250
const CAPACITY = 4096

/** Requests that wait, and are stored together, as one batch. */
interface Group {
  openedAtMs: number
  checked: CheckedFor
  receivedAt: Date
  requests: number
  count: number
  firstMs: number
  lastMs: number
  /** The requests so far, encoded. */
  parts: Buffer[]
  /** Observations of small requests, which become one part. */
  small: Observations | undefined
  /** Whether other requests may join. */
  isOpen: boolean
  result: PromiseWithResolvers<boolean>
  /** The span of the first request. Its trace has the insert; the traces of the other requests show a wait for it. */
  span: Span | undefined
}

interface Kept {
  /** Resolves the promise of `#keep`. */
  continues(hasBatch: boolean): void
  timer: NodeJS.Timeout
}

export interface GroupCommitLimits {
  holdMs?: number
  slowMs?: number
  turnMs?: number
}

/**
 * Stores the observations of requests. Requests that arrive at the same time, or while others are being committed, are
 * stored together, as one batch with one commit: an insert takes nearly as long for one request as for ten. Connections
 * take the oldest group, so groups are stored in the order of arrival unless a commit takes long.
 */
export class GroupCommit {
  readonly #withConnection: WithConnection
  readonly #holdMs: number
  readonly #slowMs: number
  readonly #turnMs: number
  readonly #waiting: Group[] = []
  /** Columns of stored groups, which are used again. */
  readonly #free: Observations[] = []
  /** The groups that are being stored, with the time when they were sent. */
  readonly #storing = new Map<Group, number>()
  /** The connections that are being opened. When a connection is open, it takes the group that is the oldest then. */
  readonly #opening = new Set<{ sinceMs: number }>()
  /** How many connections are open or being opened. */
  #connections = 0
  #pausedUntilMs = 0
  /** A connection that has no batch at the moment. */
  #kept: Kept | undefined
  /** Whether the connection that was kept is about to take a group. */
  #isContinuing = false
  /** How many requests wait or are being stored. */
  #inProgress = 0
  /** How many requests the next batch waits for, and until when. */
  #expected = 0
  #expectedUntilMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(
    withConnection: WithConnection,
    { holdMs = HOLD_MS, slowMs = SLOW_MS, turnMs = TURN_MS }: GroupCommitLimits = {},
  ) {
    this.#withConnection = withConnection
    this.#holdMs = holdMs
    this.#slowMs = slowMs
    this.#turnMs = turnMs
  }

  /** The caller may overwrite the columns of `observations` as soon as `add` returns, before the promise is settled. */
  add(observations: Observations, checked: CheckedFor, receivedAt: Date): Promise<boolean> {
    const canJoin = isPlain(observations)
    const part = canJoin && observations.count < LARGE ? undefined : encodePart(observations)
    const last = this.#waiting.at(-1)
    const group = canJoin && last && accepts(last, checked) ? last : this.#open(checked, receivedAt)
    this.#append(group, observations, part)
    group.isOpen = canJoin && group.count < FULL
    this.#sendIfDue()
    return group.span === activeSpan() ? group.result.promise : waited(group.result.promise)
  }

  #open(checked: CheckedFor, receivedAt: Date): Group {
    const group: Group = {
      ...{ checked, receivedAt, openedAtMs: performance.now(), span: activeSpan(), isOpen: true },
      ...{ requests: 0, count: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY },
      ...{ parts: [], small: undefined, result: Promise.withResolvers<boolean>() },
    }
    this.#waiting.push(group)
    return group
  }

  #append(group: Group, observations: Observations, part: Buffer | undefined): void {
    if (part !== undefined) this.#encodeSmall(group)
    const { firstMs, lastMs } = spanOf(observations)
    group.firstMs = Math.min(group.firstMs, firstMs)
    group.lastMs = Math.max(group.lastMs, lastMs)
    group.count += observations.count
    group.requests++
    this.#inProgress++
    if (part === undefined) {
      group.small ??= this.#free.pop() ?? emptyObservations(CAPACITY)
      append(group.small, observations)
    } else group.parts.push(part)
  }

  #encodeSmall(group: Group): void {
    const { small, parts } = group
    if (small === undefined) return
    parts.push(encodePart(small))
    clear(small)
    if (small.points.length <= FULL && this.#free.length < MAX_CONNECTIONS) this.#free.push(small)
    group.small = undefined
  }

  #isEnough(requests: number): boolean {
    return requests >= Math.min(this.#expected, ENOUGH) || performance.now() >= this.#expectedUntilMs
  }

  /** Whether the oldest group has to be sent now. */
  #isDue(): boolean {
    const [first] = this.#waiting
    if (first === undefined || this.#storing.size === MAX_CONNECTIONS) return false
    const [sentAtMs] = this.#storing.values()
    if (sentAtMs !== undefined) return performance.now() >= sentAtMs + this.#slowMs
    return this.#waiting.length > 1 || first.count >= FULL || this.#isEnough(first.requests)
  }

  /** Gives the oldest group to a connection if the group is due, and a connection is free or may be opened. */
  #sendIfDue(): void {
    const [first] = this.#waiting
    if (first === undefined || this.#isContinuing) return
    const isDue = this.#isDue()
    if (isDue && this.#kept !== undefined) {
      clearTimeout(this.#kept.timer)
      this.#isContinuing = true
      this.#kept.continues(true)
      this.#kept = undefined
    } else if (isDue && performance.now() >= this.#mayOpenAtMs()) {
      void runInSpan(first.span, () => this.#connect())
    } else this.#checkWhenDue()
  }

  /** The time from which a further connection may be opened. Infinity: not before a connection has ended. */
  #mayOpenAtMs(): number {
    if (this.#connections === MAX_CONNECTIONS) return Number.POSITIVE_INFINITY
    if (this.#connections === 0) return 0
    const [opening] = this.#opening
    return opening === undefined ? this.#pausedUntilMs : opening.sinceMs + SLOW_OPENING_MS
  }

  #checkWhenDue(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#storing.size === MAX_CONNECTIONS) return
    const [sentAtMs] = this.#storing.values()
    const dueAtMs = sentAtMs === undefined ? this.#expectedUntilMs : sentAtMs + this.#slowMs
    // A group that is due waits for a connection.
    const atMs = this.#isDue() ? this.#mayOpenAtMs() : dueAtMs
    if (atMs === Number.POSITIVE_INFINITY) return
    const afterMs = Math.max(1, Math.ceil(atMs - performance.now()))
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sendIfDue()
    }, afterMs).unref()
  }

  async #connect(): Promise<void> {
    const opening = { sinceMs: performance.now() }
    this.#opening.add(opening)
    this.#connections++
    await this.#withConnection((connection) => {
      this.#opening.delete(opening)
      return this.#storeOver(connection)
    }).catch((err) => {
      // If the connection was opened, the requests of its batch have got this error already.
      if (this.#opening.delete(opening)) this.#failWaiting(err, opening.sinceMs)
    })
    this.#connections--
    this.#sendIfDue()
  }

  /**
   * Called when a connection could not be opened; `sinceMs` is when the attempt began. If there is another connection,
   * it takes the waiting groups. Otherwise the groups that were opened before the attempt fail.
   */
  #failWaiting(err: unknown, sinceMs: number): void {
    if (this.#connections > 1) this.#pausedUntilMs = performance.now() + PAUSE_MS
    else while (this.#waiting[0] && this.#waiting[0].openedAtMs <= sinceMs) this.#fail(this.#waiting.shift()!, err)
  }

  /** Stores the oldest group, and then those that are due after it. */
  async #storeOver({ store, isUsable, isWanted }: StoreConnection): Promise<void> {
    const openedAtMs = performance.now()
    let batches = 0
    // A turn has at least one batch. Otherwise connections could be opened and released without storing any batch.
    const isTurnOver = () =>
      batches > 0 && (batches >= BATCHES_A_TURN || performance.now() >= openedAtMs + this.#turnMs)
    const sendNext = () => {
      if (!isUsable() || (isTurnOver() && isWanted())) return undefined
      const next = this.#send(store)
      if (next !== undefined) batches++
      return next
    }
    let sent = sendNext()
    while (sent !== undefined) {
      const { group, stored } = sent
      const isStored = await stored.catch((err) => {
        this.#noteEnd(group)
        this.#fail(group, err)
        throw err
      })
      this.#noteEnd(group)
      this.#inProgress -= group.requests
      // The next batch is sent first, so that the database works while responses are sent.
      sent = sendNext()
      if (sent === undefined && this.#waiting.length > 0) this.#checkWhenDue()
      group.result.resolve(isStored)
      if (sent !== undefined || !isUsable() || isWanted()) continue
      const continues = await this.#keep()
      if (!continues) return
      this.#isContinuing = false
      if (!isWanted()) sent = sendNext()
    }
  }

  /** Sends the oldest group if it is due. */
  #send(store: StoreBatch): { group: Group; stored: Promise<boolean> } | undefined {
    if (!this.#isDue()) return undefined
    const group = this.#waiting.shift()!
    try {
      const batch = this.#encoded(group)
      this.#storing.set(group, performance.now())
      const stored = runInSpan(group.span, () => store(batch, group.checked.version))
      if (this.#waiting.length > 0) this.#checkWhenDue()
      return { group, stored }
    } catch (err) {
      this.#storing.delete(group)
      this.#fail(group, err)
      return this.#send(store)
    }
  }

  #encoded(group: Group): NewBatch {
    this.#encodeSmall(group)
    const { checked, receivedAt, count, firstMs, lastMs, parts } = group
    const data = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    return newBatch(checked, receivedAt, { count, firstMs, lastMs, data })
  }

  #noteEnd(group: Group): void {
    this.#storing.delete(group)
    this.#expected = this.#inProgress
    this.#expectedUntilMs = performance.now() + this.#holdMs
    // The timer may have been set for a slow commit.
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #fail(group: Group, err: unknown): void {
    this.#inProgress -= group.requests
    group.result.reject(err)
  }

  /**
   * Keeps a connection that has no batch. Resolves to true when there is a batch for it, and to false after `KEPT_MS`
   * without one. Resolves to false immediately if another connection is kept already.
   */
  async #keep(): Promise<boolean> {
    if (this.#kept !== undefined) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      this.#kept = undefined
      resolve(false)
    }, KEPT_MS)
    this.#kept = { continues: resolve, timer }
    return promise
  }
}

async function waited(result: Promise<boolean>): Promise<boolean> {
  const askedAtMs = performance.now()
  const isStored = await result
  recordWait('wait for insert of another request', askedAtMs)
  return isStored
}

const isPlain = ({ texts, sources }: Observations): boolean => texts.size === 0 && sources === null

function accepts({ isOpen, checked }: Group, { buildingId, revision, version }: CheckedFor): boolean {
  return isOpen && checked.buildingId === buildingId && checked.revision === revision && checked.version === version
}

/** Appends plain observations to others. */
function append(to: Observations, { count, points, times, values }: Observations): void {
  while (to.points.length < to.count + count) widen(to)
  to.points.set(points.subarray(0, count), to.count)
  to.times.set(times.subarray(0, count), to.count)
  to.values.set(values.subarray(0, count), to.count)
  to.count += count
}
