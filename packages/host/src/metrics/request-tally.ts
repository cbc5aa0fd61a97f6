import type { HttpObserver, ObservedRequest } from '@storey/kit/http'

/** The upper bounds of the latency histogram, in seconds. */
export const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

/**
 * The maximum number of combinations of part, method and route, to limit memory use, because a stack chooses the routes
 * that it reports. Requests of further routes are counted as `other`.
 */
const MAX_ROUTES = 500
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** The maximum number of sandboxes counted between two scrapes. A scrape removes the counts of sandboxes that sleep. */
const MAX_SANDBOXES = 2_000
/** An upgrade lasts as long as its connection, so the duration of an upgrade is not a latency. */
const SWITCHING_PROTOCOLS = 101

/** The requests of one part, method and route. */
export interface RouteTally {
  /** What answered the requests, such as `stack` or `portal`. */
  readonly part: string
  readonly method: string
  readonly route: string
  readonly byStatus: Map<number, number>
  /**
   * The requests in each bucket of LATENCY_BUCKETS, without those of smaller buckets. One more bucket at the end counts
   * the requests that took longer.
   */
  readonly buckets: Float64Array
  seconds: number
}

export interface RequestTally extends HttpObserver {
  routes(): Iterable<RouteTally>
  /** Requests of each sandbox by the first digit of their status. */
  sandboxes: ReadonlyMap<string, Readonly<Float64Array>>
  /** Removes the counts of sandboxes whose id is not in `ids`. */
  keepSandboxes(ids: ReadonlySet<string>): void
  inProgress(): number
}

/**
 * Counts requests. `begin` and `end` run for every request, so they only look up counts and add to them. Labels are
 * created when the metrics are read.
 */
export function createRequestTally(): RequestTally {
  const all: RouteTally[] = []
  /** By part, method and route. */
  const known = new Map<string, Map<string, Map<string, RouteTally>>>()
  const sandboxes = new Map<string, Float64Array>()
  let inProgress = 0

  function tallyOf(part: string, method: string, route: string): RouteTally {
    const methods = known.get(part) ?? addTo(known, part, new Map<string, Map<string, RouteTally>>())
    const routes = methods.get(method) ?? addTo(methods, method, new Map<string, RouteTally>())
    const present = routes.get(route)
    if (present) return present
    if (all.length >= MAX_ROUTES && route !== 'other') return tallyOf(part, method, 'other')
    const buckets = new Float64Array(LATENCY_BUCKETS.length + 1)
    const tally: RouteTally = { part, method, route, byStatus: new Map(), buckets, seconds: 0 }
    all.push(tally)
    return addTo(routes, route, tally)
  }

  function countSandbox(sandboxId: string, status: number): void {
    let counts = sandboxes.get(sandboxId)
    if (!counts) {
      if (sandboxes.size >= MAX_SANDBOXES) return
      counts = addTo(sandboxes, sandboxId, new Float64Array(6))
    }
    counts[(status / 100) | 0]!++
  }

  return {
    begin() {
      inProgress++
    },
    end({ request, part, route, status, durationMs, sandboxId }: ObservedRequest) {
      inProgress--
      const { method = '' } = request
      const tally = tallyOf(part, METHODS.has(method) ? method : 'other', route)
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1)
      if (sandboxId !== undefined) countSandbox(sandboxId, status)
      if (status === SWITCHING_PROTOCOLS) return
      const seconds = durationMs / 1000
      let place = 0
      while (place < LATENCY_BUCKETS.length && seconds > LATENCY_BUCKETS[place]!) place++
      tally.buckets[place]!++
      tally.seconds += seconds
    },
    routes: () => all,
    sandboxes,
    keepSandboxes(ids) {
      for (const id of sandboxes.keys()) if (!ids.has(id)) sandboxes.delete(id)
    },
    inProgress: () => inProgress,
  }
}

function addTo<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value)
  return value
}
