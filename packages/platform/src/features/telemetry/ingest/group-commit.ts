import { activeSpan, recordWait, runInSpan, type Span } from '@storey/kit/tracing'
import { encodeBatch } from '../storage/batch-codec.ts'
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

/**
 * While a batch is being committed, further requests wait for the next batch. If they have waited for this long, the
 * next batch is sent before the commit has ended.
 */
const SLOW_MS = 5
const MAX_IN_FLIGHT = 2
/** A group with this many observations accepts no other request. */
const FULL = 20_000
const CAPACITY = 4096

/** The requests that are stored together, as one batch. */
interface Group {
  checked: CheckedFor
  receivedAt: Date
  observations: Observations
  result: PromiseWithResolvers<boolean>
  /** The span of the first request. Its trace has the insert; the traces of the other requests show a wait for it. */
  span: Span | undefined
}

/**
 * Stores the observations of requests. Requests that arrive while others are being committed are stored together, as one
 * batch with one commit: an insert takes nearly as long for one request as for ten.
 */
export class GroupCommit {
  readonly #store: StoreBatch
  readonly #waiting: Group[] = []
  /** Columns of stored groups, which are used again. */
  readonly #free: Observations[] = []
  #inFlight = 0
  readonly #slowMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(store: StoreBatch, slowMs = SLOW_MS) {
    this.#store = store
    this.#slowMs = slowMs
  }

  /** The columns may be overwritten as soon as this returns. */
  add(observations: Observations, checked: CheckedFor, receivedAt: Date): Promise<boolean> {
    if (this.#inFlight === 0) return this.#send(observations, checked, receivedAt)
    const isPlain = observations.texts.size === 0 && observations.sources === null
    const last = this.#waiting.at(-1)
    const group = isPlain && last && accepts(last, checked) ? last : this.#open(checked, receivedAt)
    append(group.observations, observations)
    return group.span === activeSpan() ? group.result.promise : waited(group.result.promise)
  }

  #open(checked: CheckedFor, receivedAt: Date): Group {
    const observations = this.#free.pop() ?? emptyObservations(CAPACITY)
    const group = { checked, receivedAt, observations, result: Promise.withResolvers<boolean>(), span: activeSpan() }
    this.#waiting.push(group)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#inFlight < MAX_IN_FLIGHT) this.#sendNext()
    }, this.#slowMs).unref()
    return group
  }

  async #send(observations: Observations, checked: CheckedFor, receivedAt: Date): Promise<boolean> {
    this.#inFlight++
    try {
      return await this.#store(batchOf(observations, checked, receivedAt), checked.version)
    } finally {
      this.#inFlight--
      this.#sendNext()
    }
  }

  #sendNext(): void {
    const group = this.#waiting.shift()
    if (group === undefined) return
    const { observations, checked, receivedAt, result, span } = group
    const send = () => this.#send(observations, checked, receivedAt)
    runInSpan(span, send).then(result.resolve, result.reject)
    // `send` has encoded the batch, so its columns are free.
    clear(observations)
    if (observations.points.length <= FULL && this.#free.length < MAX_IN_FLIGHT) this.#free.push(observations)
  }
}

async function waited(result: Promise<boolean>): Promise<boolean> {
  const askedAtMs = performance.now()
  const isStored = await result
  recordWait('wait for insert of another request', askedAtMs)
  return isStored
}

function accepts({ observations, checked }: Group, { buildingId, revision, version }: CheckedFor): boolean {
  const { count, texts, sources } = observations
  const isSame = checked.buildingId === buildingId && checked.revision === revision && checked.version === version
  return isSame && count < FULL && texts.size === 0 && sources === null
}

/** Appends observations to those of a group. A request with texts or sources is alone in its group. */
function append(to: Observations, from: Observations): void {
  const { count, points, times, values } = from
  while (to.points.length < to.count + count) widen(to)
  to.points.set(points.subarray(0, count), to.count)
  to.times.set(times.subarray(0, count), to.count)
  to.values.set(values.subarray(0, count), to.count)
  if (to.count === 0) {
    to.texts = new Map(from.texts)
    to.sources = from.sources?.slice(0, count) ?? null
    to.sourceNames = from.sourceNames
  }
  to.count += count
}

/** Encodes observations as they are stored. */
export function batchOf(observations: Observations, { buildingId, revision }: CheckedFor, receivedAt: Date): NewBatch {
  const [firstAt, lastAt] = spanOf(observations)
  const { count } = observations
  return { buildingId, revision, receivedAt, firstAt, lastAt, count, data: encodeBatch(observations) }
}

function spanOf({ times, count }: Observations): [first: Date, last: Date] {
  let [first, last] = [times[0]!, times[0]!]
  for (let i = 1; i < count; i++) {
    if (times[i]! < first) first = times[i]!
    if (times[i]! > last) last = times[i]!
  }
  return [new Date(first), new Date(last)]
}
