import { VERSION } from '@storey/contract'
import type { CreationObserver, StackObserver } from '@storey/provisioning'
import { Counter, Gauge, Registry } from 'prom-client'
import { registerEventMetrics } from './event-metrics.ts'
import type { Metric, Readings } from './metric.ts'
import { collectProcessMetrics } from './process-metrics.ts'
import { registerRequestMetrics, registerSandboxRequests } from './request-metrics.ts'
import { createRequestTally, type RequestTally } from './request-tally.ts'
import { METRICS } from './service-metrics.ts'
import { labelStacks } from './stack-metrics.ts'

export interface Metrics {
  requests: RequestTally
  /** Counts starts and crashes of stacks, and creations of sandboxes. */
  events: StackObserver & CreationObserver
  contentType: string
  /** The text of one scrape. */
  text(readings: Omit<Readings, 'labelledStacks'>): Promise<string>
}

/** Uses a separate registry, so that two services in one process do not share metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = createRequestTally()
  let labelled: Readings['labelledStacks'] = []
  registerRequestMetrics(registry, requests)
  registerSandboxRequests(registry, requests, () => labelled.map(([sandbox]) => sandbox))
  const events = registerEventMetrics(registry)
  const setters = METRICS.map((metric) => register(registry, metric))
  const build = { name: 'storey_build_info', help: 'The version of the service', labelNames: ['version'] }
  new Gauge({ ...build, registers: [registry] }).set({ version: VERSION }, 1)
  collectProcessMetrics(registry)
  return {
    requests,
    events,
    contentType: registry.contentType,
    async text(readings) {
      labelled = labelStacks(readings.stacks)
      requests.keepSandboxes(new Set(Object.keys(readings.stacks)))
      for (const set of setters) set({ ...readings, labelledStacks: labelled })
      return await registry.metrics()
    },
  }
}

/** Defines a metric. Its values are counted elsewhere, so each scrape replaces the previous values. */
function register(registry: Registry, { type, name, help, labels, samples }: Metric): (readings: Readings) => void {
  const options = { name, help, labelNames: labels, registers: [registry] }
  const metric = type === 'gauge' ? new Gauge(options) : new Counter(options)
  return (readings) => {
    metric.reset()
    // A metric without labels starts at 0, which would be wrong when there is no value.
    metric.remove({})
    for (const { value, ...own } of samples(readings)) metric.inc(own, value)
  }
}
