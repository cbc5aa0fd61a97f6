import type { Metric as PromMetric, Registry } from 'prom-client'
import { LATENCY_BUCKETS, type RequestTally, type RouteTally } from './request-tally.ts'

interface TalliedValue {
  metricName?: string
  labels: Record<string, string | number>
  value: number
}

/**
 * Registers a metric whose values are counted elsewhere. The registered object has no other method than `get`, because
 * the registry calls only `get` at each scrape.
 */
function registerTallied(
  registry: Registry,
  type: string,
  name: string,
  help: string,
  values: () => TalliedValue[],
): void {
  const get = async () => ({ name, help, type, values: values(), aggregator: 'sum' })
  registry.registerMetric({ name, help, type, get } as unknown as PromMetric)
}

/**
 * The metrics of requests: `storey_http_requests_total`, `storey_http_request_duration_seconds` and
 * `storey_http_requests_in_progress`.
 */
export function registerRequestMetrics(registry: Registry, tally: RequestTally): void {
  registerTallied(registry, 'counter', 'storey_http_requests_total', 'Requests by part, route and status', () =>
    [...tally.routes()].flatMap(({ part, method, route, byStatus }) =>
      [...byStatus].map(([status, value]) => ({ labels: { part, method, route, status }, value })),
    ),
  )
  const name = 'storey_http_request_duration_seconds'
  registerTallied(
    registry,
    'histogram',
    name,
    'Duration of requests, from the request head to the end of the response',
    () => [...tally.routes()].flatMap((route) => histogram(name, route)),
  )
  registerTallied(
    registry,
    'gauge',
    'storey_http_requests_in_progress',
    'Requests in progress, including live connections',
    () => [{ labels: {}, value: tally.inProgress() }],
  )
}

function histogram(name: string, { part, method, route, buckets, seconds }: RouteTally): TalliedValue[] {
  const labels = { part, method, route }
  let count = 0
  const values: TalliedValue[] = [...LATENCY_BUCKETS, '+Inf'].map((le, i) => {
    count += buckets[i]!
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
  })
  values.push({ metricName: `${name}_sum`, labels, value: seconds })
  values.push({ metricName: `${name}_count`, labels, value: count })
  return values
}

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx']

/** The requests of each sandbox that has a label of its own in metrics. */
export function registerSandboxRequests(
  registry: Registry,
  tally: RequestTally,
  labelled: () => Iterable<string>,
): void {
  registerTallied(registry, 'counter', 'storey_stack_http_requests_total', 'Requests to the address of a sandbox', () =>
    [...labelled()].flatMap((sandbox) => {
      const counts = tally.sandboxes.get(sandbox)
      return counts ? CLASSES.map((code, i) => ({ labels: { sandbox, code }, value: counts[i + 1]! })) : []
    }),
  )
}
