import type { LoopRuns } from '@storey/contract'
import type { ControlPlane } from '@storey/provisioning'

/** The values of one scrape. */
export type Readings = Awaited<ReturnType<ControlPlane['counts']>> & { ownLoops: Record<string, LoopRuns> }

/** A value with its labels. */
type Sample = { value: number } & Record<string, string | number>

export interface Metric {
  type: 'gauge' | 'counter'
  name: string
  help: string
  labels: string[]
  samples(now: Readings): Sample[]
}

type ReadValue = (now: Readings) => number | undefined

/** Functions that define metrics of a type: `one` without labels, `by` with labels. */
const metricsOf = (type: Metric['type']) => ({
  one: (name: string, help: string, readValue: ReadValue): Metric => {
    const samples = (now: Readings) =>
      [readValue(now)].filter((value) => value !== undefined).map((value) => ({ value }))
    return { type, name, help, labels: [], samples }
  },
  by: (labels: string[], name: string, help: string, samples: Metric['samples']): Metric => {
    return { type, name, help, labels, samples }
  },
})
const [gauge, counter] = [metricsOf('gauge'), metricsOf('counter')]
const seconds = (ms: number) => Math.round(ms) / 1000

const sandboxes = [
  gauge.by(['status'], 'storey_sandboxes', 'Sandboxes by status', (now) =>
    Object.entries(now.sandboxes).map(([status, value]) => ({ status, value })),
  ),
  gauge.by(
    ['state'],
    'storey_migrations',
    'Sandboxes whose database needs a migration: failed if the last attempt failed, otherwise due',
    ({ migrations: { due, failed } }) => [
      { state: 'due', value: due - failed },
      { state: 'failed', value: failed },
    ],
  ),
]

/** Totals of all stacks: labels by sandbox would create too many series. */
const stacks = [
  gauge.one('storey_stacks_running', 'Running stacks', (now) => now.stacksRunning),
  gauge.one('storey_stacks_waiting', 'Stacks waiting for database connections', (now) => now.capacity.waiting),
  gauge.by(
    ['state'],
    'storey_stack_connections',
    'PostgreSQL connections of stacks: the budget, and those that are assigned',
    ({ capacity }) => [
      { state: 'budget', value: capacity.connections },
      { state: 'given', value: capacity.used },
    ],
  ),
  gauge.one('storey_stacks_resident_memory_bytes', 'Resident memory of all stacks', (now) => now.requests.rssBytes),
  // The memory limit applies to each stack, so the stack that uses the most memory matters.
  gauge.one(
    'storey_stack_largest_resident_memory_bytes',
    'Resident memory of the largest stack',
    (now) => now.requests.largestRssBytes,
  ),
  gauge.one(
    'storey_stacks_request_memory_bytes',
    'Memory reserved for requests in progress',
    (now) => now.requests.bytesInUse,
  ),
  gauge.one('storey_stacks_requests_waiting', 'Requests waiting for memory', (now) => now.requests.waiting),
  counter.one(
    'storey_stacks_requests_refused_total',
    'Requests refused because too many waited for memory, or because they waited too long',
    (now) => now.requests.refused,
  ),
]

const observations = [
  gauge.one(
    'storey_observations_waiting',
    'Stored observations that are not folded yet',
    (now) => now.observations.waiting,
  ),
  gauge.one(
    'storey_observations_oldest_waiting_seconds',
    'Age of the oldest observation that is not folded yet',
    (now) => seconds(now.observations.oldestWaitsMs),
  ),
  counter.one('storey_observations_folded_total', 'Folded observations', (now) => now.observations.folded),
]

const clocks = [
  gauge.one('storey_clocks_agree', '1 while the clocks of service and database server agree', (now) =>
    now.clocks.agree ? 1 : 0,
  ),
  gauge.one('storey_clock_difference_seconds', 'The clock of this process minus the database server’s', (now) =>
    seconds(now.clocks.differenceMs),
  ),
]

/** The clients and the messages have values only if MQTT is enabled. */
const mqtt = [
  gauge.one('storey_mqtt_clients', 'Clients of the embedded MQTT broker', (now) => now.mqtt?.clients),
  counter.by(['outcome'], 'storey_mqtt_messages_total', 'MQTT messages by outcome', (now) => {
    const { clients: _, ...outcomes } = now.mqtt ?? { clients: 0 }
    const label = (name: string) => (name === 'deadLetter' ? 'dead_letter' : name)
    return Object.entries(outcomes).map(([name, value]) => ({ outcome: label(name), value }))
  }),
  gauge.one('storey_mqtt_dead_letters', 'MQTT dead letters', (now) => now.deadLetters),
]

const background = [
  counter.by(['process', 'loop', 'result'], 'storey_background_runs_total', 'Background runs by result', (now) =>
    loopsOf(now).flatMap(({ process, loop, succeeded, failed }) => [
      { process, loop, result: 'success', value: succeeded },
      { process, loop, result: 'failure', value: failed },
    ]),
  ),
  gauge.by(
    ['process', 'loop'],
    'storey_background_last_success_timestamp_seconds',
    'Unix time of the last successful run',
    (now) =>
      loopsOf(now)
        .filter(({ lastSuccessAtMs }) => lastSuccessAtMs !== null)
        .map(({ process, loop, lastSuccessAtMs }) => ({ process, loop, value: seconds(lastSuccessAtMs!) })),
  ),
]

/** The runs of background loops, of the control plane and of all stacks together. */
function loopsOf({ ownLoops, stackLoops }: Readings) {
  return Object.entries({ 'control-plane': ownLoops, stack: stackLoops }).flatMap(([process, loops]) =>
    Object.entries(loops).map(([loop, runs]) => ({ process, loop, ...runs })),
  )
}

export const METRICS: readonly Metric[] = [...sandboxes, ...stacks, ...observations, ...clocks, ...background, ...mqtt]
