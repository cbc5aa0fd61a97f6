import { createServer, type Server } from 'node:http'
import { readRuns } from '@storey/kit/background'
import { limitNewConnections } from '@storey/kit/client-address'
import type { ControlPlane } from '@storey/provisioning'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { listen } from './port.ts'
import { METRICS, type Metric, type Readings } from './service-metrics.ts'

/** The rate of new connections is limited, because any user of the machine can connect. */
const NEW_CONNECTIONS = { burst: 100, perSecond: 50 }

type Counted = Pick<ControlPlane, 'counts'>

/** Serves Prometheus metrics on loopback and a separate port, never on the public one. Port 0 turns the metrics off. */
export async function serveMetrics(port: number, controlPlane: Counted): Promise<{ close(): Promise<void> }> {
  if (port === 0) return { close: async () => undefined }
  const metrics = createMetrics(async () => ({ ...(await controlPlane.counts()), ownLoops: readRuns() }))
  const server: Server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    try {
      const text = await metrics.text()
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
    } catch {
      response.writeHead(503).end()
    }
  })
  limitNewConnections(server, NEW_CONNECTIONS)
  await listen(server, port, '127.0.0.1', 'METRICS_PORT')
  return { close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** Uses a separate registry, so that two services in one process do not share metrics. */
export function createMetrics(read: () => Promise<Readings>) {
  const registry = new Registry()
  const setters = METRICS.map((metric) => register(registry, metric))
  collectDefaultMetrics({ register: registry })
  return {
    contentType: registry.contentType,
    async text(): Promise<string> {
      const readings = await read()
      for (const set of setters) set(readings)
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
