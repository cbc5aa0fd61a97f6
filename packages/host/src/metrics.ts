import { createServer, type Server } from 'node:http'
import type { LoopRuns } from '@storey/contract'
import { readRuns } from '@storey/kit/background'
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
  const { sandboxes, room, migrations, clocks, stacksRunning, mqtt, deadLetters, observations, requests, stackLoops } =
    await controlPlane.counts()
  const byStatus = Object.entries(sandboxes).map(([status, count]) => `storey_sandboxes{status="${status}"} ${count}`)
  const memory = process.memoryUsage()
  return `${[
    ...gauge('storey_sandboxes', 'Sandboxes by status', byStatus),
    ...gauge('storey_stacks_running', 'Stacks that run now', [`storey_stacks_running ${stacksRunning}`]),
    ...roomLines(room),
    ...migrationLines(migrations),
    ...clockLines(clocks),
    ...observationLines(observations),
    ...requestLines(requests),
    ...loopLines({ 'control-plane': readRuns(), stack: stackLoops }),
    ...(mqtt ? mqttLines(mqtt) : []),
    ...gauge('storey_mqtt_dead_letters', 'MQTT messages kept for the operator', [
      `storey_mqtt_dead_letters ${deadLetters}`,
    ]),
    ...gauge('process_resident_memory_bytes', 'Memory of the control plane', [
      `process_resident_memory_bytes ${memory.rss}`,
    ]),
    ...gauge('nodejs_heap_used_bytes', 'Heap in use', [`nodejs_heap_used_bytes ${memory.heapUsed}`]),
    ...gauge('process_uptime_seconds', 'Seconds since the start', [
      `process_uptime_seconds ${process.uptime().toFixed(1)}`,
    ]),
  ].join('\n')}\n`
}

function roomLines({ connections, used, waiting }: Counts['room']): string[] {
  return [
    ...gauge('storey_stack_connections', 'Connections to PostgreSQL that stacks may open', [
      `storey_stack_connections{state="budget"} ${connections}`,
      `storey_stack_connections{state="given"} ${used}`,
    ]),
    ...gauge('storey_stacks_waiting', 'Stacks that wait for connections', [`storey_stacks_waiting ${waiting}`]),
  ]
}

function migrationLines({ due, failed }: Counts['migrations']): string[] {
  return gauge('storey_migrations', 'Sandboxes whose database is behind, by whether the last try failed', [
    `storey_migrations{state="due"} ${due - failed}`,
    `storey_migrations{state="failed"} ${failed}`,
  ])
}

function clockLines({ agree, differenceMs }: Counts['clocks']): string[] {
  return [
    ...gauge('storey_clocks_agree', '1 while nothing speaks against expiring and removing by the clock', [
      `storey_clocks_agree ${agree ? 1 : 0}`,
    ]),
    ...gauge('storey_clock_difference_seconds', 'The clock of this process minus the database server’s', [
      `storey_clock_difference_seconds ${(differenceMs / 1000).toFixed(3)}`,
    ]),
  ]
}

function mqttLines({ clients, ...outcomes }: NonNullable<Counts['mqtt']>): string[] {
  const label = (name: string) => (name === 'deadLetter' ? 'dead_letter' : name)
  const messages = Object.entries(outcomes).map(
    ([name, n]) => `storey_mqtt_messages_total{outcome="${label(name)}"} ${n}`,
  )
  return [
    ...gauge('storey_mqtt_clients', 'Clients of the embedded MQTT broker', [`storey_mqtt_clients ${clients}`]),
    ...counter('storey_mqtt_messages_total', 'MQTT messages by what became of them', messages),
  ]
}

/** Over all stacks that run: a sandbox more should not be a series more. */
function observationLines({ waiting, oldestWaitsMs, folded }: Counts['observations']): string[] {
  const age = `storey_observations_oldest_waiting_seconds ${(oldestWaitsMs / 1000).toFixed(3)}`
  return [
    ...gauge('storey_observations_waiting', 'Observations that are stored and not folded yet', [
      `storey_observations_waiting ${waiting}`,
    ]),
    ...gauge('storey_observations_oldest_waiting_seconds', 'Age of the oldest of those', [age]),
    ...counter('storey_observations_folded_total', 'Observations that were folded', [
      `storey_observations_folded_total ${folded}`,
    ]),
  ]
}

/** The largest stack is the one to look at: each has a limit of its own. */
function requestLines(requests: Counts['requests']): string[] {
  const one = (name: string, value: number) => [`${name} ${value}`]
  const memory = 'storey_stacks_resident_memory_bytes'
  const largest = 'storey_stack_largest_resident_memory_bytes'
  const inUse = 'storey_stacks_request_memory_bytes'
  const waiting = 'storey_stacks_requests_waiting'
  const refused = 'storey_stacks_requests_refused_total'
  return [
    ...gauge(memory, 'Memory of all stacks', one(memory, requests.rssBytes)),
    ...gauge(largest, 'Memory of the largest stack', one(largest, requests.largestRssBytes)),
    ...gauge(inUse, 'Memory set aside for requests under way', one(inUse, requests.bytesInUse)),
    ...gauge(waiting, 'Requests that wait for memory', one(waiting, requests.waiting)),
    ...counter(refused, 'Requests that waited for memory in vain', one(refused, requests.refused)),
  ]
}

/** Of stacks: all together, and the last success of the one whose own is longest ago. */
function loopLines(byProcess: Record<string, Record<string, LoopRuns>>): string[] {
  const loops = Object.entries(byProcess).flatMap(([process, runs]) =>
    Object.entries(runs).map(([loop, own]) => ({ ...own, labels: `process="${process}",loop="${loop}"` })),
  )
  const [total, last] = ['storey_background_runs_total', 'storey_background_last_success_timestamp_seconds']
  return [
    ...counter(
      total,
      'Runs of background work by their result',
      loops.flatMap(({ labels, succeeded, failed }) => [
        `${total}{${labels},result="success"} ${succeeded}`,
        `${total}{${labels},result="failure"} ${failed}`,
      ]),
    ),
    ...gauge(
      last,
      'Unix time of the last run that succeeded',
      loops
        .filter(({ lastSuccessAtMs }) => lastSuccessAtMs !== null)
        .map(({ labels, lastSuccessAtMs }) => `${last}{${labels}} ${(lastSuccessAtMs! / 1000).toFixed(3)}`),
    ),
  ]
}

const gauge = (name: string, help: string, samples: string[]) => metric('gauge', name, help, samples)
const counter = (name: string, help: string, samples: string[]) => metric('counter', name, help, samples)

function metric(type: 'gauge' | 'counter', name: string, help: string, samples: string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples]
}
