import { activeSpan, recordWait, runInSpan, type Span } from '@storey/kit/tracing'
import { encodePart } from '../storage/batch-codec.ts'
import type { NewBatch } from './ingest.store.ts'
import { clear, emptyObservations, type Observations, widen } from './observations.ts'

/**
 * What the observations of a request were checked against. Requests are stored together only if all of these fields are
 * equal.
 */
export interface CheckedFor {
  buildingId: string
  revision: number
  /** Version of the subscriptions to webhooks. */
  version: number
}

/** Stores a batch. False: the graph or the subscriptions have changed since they were read. */
export type StoreBatch = (batch: NewBatch, version: number) => Promise<boolean>

/** Calls `work` with a function that stores batches over one database connection, one after the other. */
export type StoreBatches = (work: (store: StoreBatch) => Promise<void>) => Promise<void>

/**
 * After a commit, its clients are expected to send their next requests within `HOLD_MS`. Until then, a batch waits for
 * as many requests as were in progress, but not for more than `ENOUGH`. Without this, the requests of four clients would
 * be stored alternately one and three at a time, and a commit costs about as much as all else of two requests.
 */
const HOLD_MS = 2
const ENOUGH = 4
/**
 * If a commit takes this long while requests wait for its end, the next batch is sent before it ends, over another
 * connection.
 */
const SLOW_MS = 5
const MAX_CONNECTIONS = 2
/** How long a connection without a batch is kept. */
const KEPT_MS = 5
/** A group with this many observations accepts no other request. */
const FULL = 20_000
/** A request with this many observations is a part of its own, since a part takes some 50 bytes, and time to read. */
const LARGE = 250
const CAPACITY = 4096

/** Requests that are stored together, as one batch. */
interface Stored {
  checked: CheckedFor
  requests: number
  result: PromiseWithResolvers<boolean>
  /** The span of the first request. Its trace has the insert; the traces of the other requests show a wait for it. */
  span: Span | undefined
}

/** Requests that wait, and may be joined by others. */
interface Group extends Stored {
  receivedAt: Date
  count: number
  firstMs: number
  lastMs: number
  /** The requests so far, encoded. */
  parts: Buffer[]
  /** Observations of small requests, which become one part. */
  small: Observations | undefined
  /** Whether other requests may join. */
  isOpen: boolean
}

/** Requests whose observations are encoded. */
interface Encoded extends Stored {
  batch: NewBatch
}

/** A connection that has no batch at the moment. */
interface Kept {
  /** Gives it the next batch; undefined ends its use. */
  next(batch: Encoded | undefined): void
  timer: NodeJS.Timeout
}

export interface GroupCommitLimits {
  holdMs?: number
  slowMs?: number
}

/**
 * Stores the observations of requests. Requests that arrive at the same time, or while others are being committed, are
 * stored together, as one batch with one commit: an insert takes nearly as long for one request as for ten.
 */
export class GroupCommit {
  readonly #storeBatches: StoreBatches
  readonly #holdMs: number
  readonly #slowMs: number
  readonly #waiting: Group[] = []
  /** Columns of stored groups, which are used again. */
  readonly #free: Observations[] = []
  /** The batches that are being stored, with the time when they were sent. */
  readonly #storing = new Map<Encoded, number>()
  #kept: Kept | undefined
  /** How many requests wait or are being stored. */
  #inProgress = 0
  /** How many requests the next batch waits for, and until when. */
  #expected = 0
  #expectedUntilMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(storeBatches: StoreBatches, { holdMs = HOLD_MS, slowMs = SLOW_MS }: GroupCommitLimits = {}) {
    this.#storeBatches = storeBatches
    this.#holdMs = holdMs
    this.#slowMs = slowMs
  }

  /** The columns may be overwritten as soon as this returns. */
  add(observations: Observations, checked: CheckedFor, receivedAt: Date): Promise<boolean> {
    this.#inProgress++
    if (this.#inProgress === 1 && this.#isEnough(1)) {
      const result = Promise.withResolvers<boolean>()
      const batch = batchOf(observations, checked, receivedAt)
      this.#send({ checked, requests: 1, batch, result, span: activeSpan() })
      return result.promise
    }
    const last = this.#waiting.at(-1)
    const group = isPlain(observations) && last && accepts(last, checked) ? last : this.#open(checked, receivedAt)
    this.#append(group, observations)
    if (this.#isDue()) this.#send(this.#take())
    else this.#checkWhenDue()
    return group.span === activeSpan() ? group.result.promise : waited(group.result.promise)
  }

  #open(checked: CheckedFor, receivedAt: Date): Group {
    const group: Group = {
      ...{ checked, receivedAt, span: activeSpan(), isOpen: true },
      ...{ requests: 0, count: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY },
      ...{ parts: [], small: undefined, result: Promise.withResolvers<boolean>() },
    }
    this.#waiting.push(group)
    return group
  }

  #append(group: Group, observations: Observations): void {
    const { firstMs, lastMs } = spanOf(observations)
    group.firstMs = Math.min(group.firstMs, firstMs)
    group.lastMs = Math.max(group.lastMs, lastMs)
    group.count += observations.count
    group.requests++
    group.isOpen = isPlain(observations) && group.count < FULL
    if (observations.count < LARGE && isPlain(observations)) {
      group.small ??= this.#free.pop() ?? emptyObservations(CAPACITY)
      append(group.small, observations)
      return
    }
    this.#encodeSmall(group)
    group.parts.push(encodePart(observations))
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

  /** Whether the first waiting group has to be sent now. */
  #isDue(): boolean {
    const [first] = this.#waiting
    if (first === undefined || this.#storing.size === MAX_CONNECTIONS) return false
    const [sentAtMs] = this.#storing.values()
    if (sentAtMs !== undefined) return performance.now() >= sentAtMs + this.#slowMs
    const { requests, count } = first
    return this.#waiting.length > 1 || count >= FULL || this.#isEnough(requests)
  }

  /** Sends the first waiting group when its time has come, unless it is sent earlier. */
  #checkWhenDue(): void {
    if (this.#waiting.length === 0 || this.#timer !== undefined || this.#storing.size === MAX_CONNECTIONS) return
    const [sentAtMs] = this.#storing.values()
    const dueAtMs = sentAtMs === undefined ? this.#expectedUntilMs : sentAtMs + this.#slowMs
    const afterMs = Math.max(1, Math.ceil(dueAtMs - performance.now()))
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#isDue()) this.#send(this.#take())
      this.#checkWhenDue()
    }, afterMs).unref()
  }

  #send(batch: Encoded): void {
    this.#storing.set(batch, performance.now())
    const kept = this.#kept
    if (kept === undefined) return void this.#storeAll(batch)
    clearTimeout(kept.timer)
    this.#kept = undefined
    kept.next(batch)
  }

  /** Stores a batch, and then others, over the same connection. */
  async #storeAll(first: Encoded): Promise<void> {
    let current: Encoded | undefined = first
    try {
      await this.#storeBatches(async (store) => {
        const start = ({ batch, checked, span }: Encoded) => runInSpan(span, () => store(batch, checked.version))
        let stored = start(first)
        while (current !== undefined) {
          const isStored = await stored
          const { result } = current
          current = this.#next(current)
          // The next batch is sent first, so that the database works while responses are sent.
          if (current !== undefined) stored = start(current)
          result.resolve(isStored)
          if (current !== undefined) continue
          current = await this.#keep()
          if (current !== undefined) stored = start(current)
        }
      })
    } catch (err) {
      if (current === undefined) return
      const { result } = current
      const next = this.#next(current)
      result.reject(err)
      if (next !== undefined) void this.#storeAll(next)
    }
  }

  /** Notes that a batch has ended, and takes the next one if it is due. */
  #next(ended: Encoded): Encoded | undefined {
    this.#expected = this.#inProgress
    this.#expectedUntilMs = performance.now() + this.#holdMs
    this.#inProgress -= ended.requests
    this.#storing.delete(ended)
    const next = this.#isDue() ? this.#take() : undefined
    if (next !== undefined) this.#storing.set(next, performance.now())
    // A timer may have been set for the end of the commit.
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#checkWhenDue()
    return next
  }

  /** Resolves to the next batch of a connection; to undefined if it gets none for a while, or another one is kept. */
  #keep(): Promise<Encoded | undefined> | undefined {
    if (this.#kept !== undefined) return undefined
    const { promise, resolve } = Promise.withResolvers<Encoded | undefined>()
    const timer = setTimeout(() => {
      this.#kept = undefined
      resolve(undefined)
    }, KEPT_MS)
    this.#kept = { next: resolve, timer }
    return promise
  }

  /** Removes the first group, and encodes what is not encoded yet. */
  #take(): Encoded {
    const group = this.#waiting.shift()!
    this.#encodeSmall(group)
    const { checked, receivedAt, requests, result, span, count, firstMs, lastMs, parts } = group
    const data = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    return { checked, requests, result, span, batch: newBatch(checked, receivedAt, { count, firstMs, lastMs, data }) }
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

/** Encodes observations as they are stored. */
export function batchOf(observations: Observations, checked: CheckedFor, receivedAt: Date): NewBatch {
  const { count } = observations
  return newBatch(checked, receivedAt, { count, ...spanOf(observations), data: encodePart(observations) })
}

interface Encodings {
  count: number
  firstMs: number
  lastMs: number
  data: Buffer
}

function newBatch(
  { buildingId, revision }: CheckedFor,
  receivedAt: Date,
  { count, firstMs, lastMs, data }: Encodings,
): NewBatch {
  return { buildingId, revision, receivedAt, firstAt: new Date(firstMs), lastAt: new Date(lastMs), count, data }
}

function spanOf({ times, count }: Observations): { firstMs: number; lastMs: number } {
  let [firstMs, lastMs] = [times[0]!, times[0]!]
  for (let i = 1; i < count; i++) {
    if (times[i]! < firstMs) firstMs = times[i]!
    else if (times[i]! > lastMs) lastMs = times[i]!
  }
  return { firstMs, lastMs }
}
