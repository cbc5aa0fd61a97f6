import { createServer, type Server } from 'node:http'
import type { ControlPlane } from '@storey/provisioning'
import { listen } from './port.ts'

type Counted = Pick<ControlPlane, 'counts'>
type Counts = Awaited<ReturnType<ControlPlane['counts']>>

/** Prometheus text, on loopback and a port of its own: never on the public one. Port 0 turns it off. */
export async function serveMetrics(port: number, controlPlane: Counted): Promise<{ close(): Promise<void> }> {
  if (port === 0) return { close: async () => undefined }
  const server: Server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    try {
      const text = await render(controlPlane)
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
    } catch {
      response.writeHead(503).end()
    }
  })
  await listen(server, port, '127.0.0.1', 'METRICS_PORT')
  return { close: () => new Promise((resolve) => server.close(() => resolve())) }
}

async function render(controlPlane: Counted): Promise<string> {
  const { sandboxes, stacksRunning, mqtt } = await controlPlane.counts()
  const byStatus = Object.entries(sandboxes).map(([status, count]) => `storey_sandboxes{status="${status}"} ${count}`)
  const memory = process.memoryUsage()
  return `${[
    ...gauge('storey_sandboxes', 'Sandboxes by status', byStatus),
    ...gauge('storey_stacks_running', 'Stacks that run now', [`storey_stacks_running ${stacksRunning}`]),
    ...(mqtt ? mqttLines(mqtt) : []),
    ...gauge('process_resident_memory_bytes', 'Memory of the control plane', [
      `process_resident_memory_bytes ${memory.rss}`,
    ]),
    ...gauge('nodejs_heap_used_bytes', 'Heap in use', [`nodejs_heap_used_bytes ${memory.heapUsed}`]),
    ...gauge('process_uptime_seconds', 'Seconds since the start', [
      `process_uptime_seconds ${process.uptime().toFixed(1)}`,
    ]),
  ].join('\n')}\n`
}

function mqttLines({ clients, ...outcomes }: NonNullable<Counts['mqtt']>): string[] {
  const messages = Object.entries(outcomes).map(([name, n]) => `storey_mqtt_messages_total{outcome="${name}"} ${n}`)
  return [
    ...gauge('storey_mqtt_clients', 'Clients of the embedded MQTT broker', [`storey_mqtt_clients ${clients}`]),
    '# HELP storey_mqtt_messages_total MQTT messages by what became of them',
    '# TYPE storey_mqtt_messages_total counter',
    ...messages,
  ]
}

function gauge(name: string, help: string, samples: string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...samples]
}
