import type { LoopRuns } from '@storey/contract'
import type { ControlPlane } from '@storey/provisioning'

/** What a scrape reads once, for all metrics. */
export type Readings = Awaited<ReturnType<ControlPlane['counts']>> & { ownLoops: Record<string, LoopRuns> }

/** A figure, with the values of the metric's labels. */
type Sample = { value: number } & Record<string, string | number>

export interface Metric {
  type: 'gauge' | 'counter'
  name: string
  help: string
  labels: string[]
  samples(now: Readings): Sample[]
}

type Figure = (now: Readings) => number | undefined

const makerOf = (type: Metric['type']) => ({
  one: (name: string, help: string, figure: Figure): Metric => {
    const samples = (now: Readings) => [figure(now)].filter((value) => value !== undefined).map((value) => ({ value }))
    return { type, name, help, labels: [], samples }
  },
  by: (labels: string[], name: string, help: string, samples: Metric['samples']): Metric => {
    return { type, name, help, labels, samples }
  },
})
const [gauge, counter] = [makerOf('gauge'), makerOf('counter')]
const seconds = (ms: number) => Math.round(ms) / 1000

const sandboxes = [
  gauge.by(['status'], 'storey_sandboxes', 'Sandboxes by status', (now) =>
    Object.entries(now.sandboxes).map(([status, value]) => ({ status, value })),
  ),
  gauge.by(
    ['state'],
    'storey_migrations',
    'Sandboxes whose database is behind, by whether the last try failed',
    ({ migrations: { due, failed } }) => [
      { state: 'due', value: due - failed },
      { state: 'failed', value: failed },
    ],
  ),
]

/** All together: a sandbox more should not be a series more. */
const stacks = [
  gauge.one('storey_stacks_running', 'Stacks that run now', (now) => now.stacksRunning),
  gauge.one('storey_stacks_waiting', 'Stacks that wait for connections', (now) => now.capacity.waiting),
  gauge.by(['state'], 'storey_stack_connections', 'Connections to PostgreSQL that stacks may open', ({ capacity }) => [
    { state: 'budget', value: capacity.connections },
    { state: 'given', value: capacity.used },
  ]),
  gauge.one('storey_stacks_resident_memory_bytes', 'Memory of all stacks', (now) => now.requests.rssBytes),
  // Each stack has a limit of its own: the largest is the one to look at.
  gauge.one(
    'storey_stack_largest_resident_memory_bytes',
    'Memory of the largest stack',
    (now) => now.requests.largestRssBytes,
  ),
  gauge.one(
    'storey_stacks_request_memory_bytes',
    'Memory set aside for requests under way',
    (now) => now.requests.bytesInUse,
  ),
  gauge.one('storey_stacks_requests_waiting', 'Requests that wait for memory', (now) => now.requests.waiting),
  counter.one(
    'storey_stacks_requests_refused_total',
    'Requests that waited for memory in vain',
    (now) => now.requests.refused,
  ),
]

const observations = [
  gauge.one(
    'storey_observations_waiting',
    'Observations that are stored and not folded yet',
    (now) => now.observations.waiting,
  ),
  gauge.one('storey_observations_oldest_waiting_seconds', 'Age of the oldest of those', (now) =>
    seconds(now.observations.oldestWaitsMs),
  ),
  counter.one('storey_observations_folded_total', 'Observations that were folded', (now) => now.observations.folded),
]

const clocks = [
  gauge.one('storey_clocks_agree', '1 while nothing speaks against expiring and removing by the clock', (now) =>
    now.clocks.agree ? 1 : 0,
  ),
  gauge.one('storey_clock_difference_seconds', 'The clock of this process minus the database server’s', (now) =>
    seconds(now.clocks.differenceMs),
  ),
]

/** There is a broker only where one is configured. */
const mqtt = [
  gauge.one('storey_mqtt_clients', 'Clients of the embedded MQTT broker', (now) => now.mqtt?.clients),
  counter.by(['outcome'], 'storey_mqtt_messages_total', 'MQTT messages by what became of them', (now) => {
    const { clients: _, ...outcomes } = now.mqtt ?? { clients: 0 }
    const label = (name: string) => (name === 'deadLetter' ? 'dead_letter' : name)
    return Object.entries(outcomes).map(([name, value]) => ({ outcome: label(name), value }))
  }),
  gauge.one('storey_mqtt_dead_letters', 'MQTT messages kept for the operator', (now) => now.deadLetters),
]

const background = [
  counter.by(
    ['process', 'loop', 'result'],
    'storey_background_runs_total',
    'Runs of background work by their result',
    (now) =>
      loopsOf(now).flatMap(({ process, loop, succeeded, failed }) => [
        { process, loop, result: 'success', value: succeeded },
        { process, loop, result: 'failure', value: failed },
      ]),
  ),
  gauge.by(
    ['process', 'loop'],
    'storey_background_last_success_timestamp_seconds',
    'Unix time of the last run that succeeded',
    (now) =>
      loopsOf(now)
        .filter(({ lastSuccessAtMs }) => lastSuccessAtMs !== null)
        .map(({ process, loop, lastSuccessAtMs }) => ({ process, loop, value: seconds(lastSuccessAtMs!) })),
  ),
]

/** Of stacks: all together, and the last success of the one whose own is longest ago. */
function loopsOf({ ownLoops, stackLoops }: Readings) {
  return Object.entries({ 'control-plane': ownLoops, stack: stackLoops }).flatMap(([process, loops]) =>
    Object.entries(loops).map(([loop, runs]) => ({ process, loop, ...runs })),
  )
}

export const METRICS: readonly Metric[] = [...sandboxes, ...stacks, ...observations, ...clocks, ...background, ...mqtt]
