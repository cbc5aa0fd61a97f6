import { counter, gauge, type Metric, type Readings, seconds } from './metric.ts'
import { heldBack, STACK_METRICS } from './stack-metrics.ts'

const sandboxes = [
  gauge.by(['status'], 'storey_sandboxes', 'Sandboxes by status', (now) =>
    Object.entries(now.sandboxes ?? {}).map(([status, value]) => ({ status, value })),
  ),
  gauge.by(
    ['state'],
    'storey_migrations',
    'Sandboxes whose database needs a migration: failed if the last attempt failed, otherwise due',
    ({ migrations }) =>
      migrations
        ? [
            { state: 'due', value: migrations.due - migrations.failed },
            { state: 'failed', value: migrations.failed },
          ]
        : [],
  ),
  gauge.one(
    'storey_stacks_overdue',
    'Stopped stacks whose work has been due for more than a minute',
    (now) => now.stacksOverdue,
  ),
]

/** Metrics of all stacks together; `stack-metrics.ts` has those of each stack. */
const stacks = [
  gauge.one('storey_stacks_running', 'Running stacks', (now) => now.stacksRunning),
  gauge.one(
    'storey_stacks_waiting',
    'Stacks that wait for database connections, or because MAX_AWAKE_STACKS stacks run',
    (now) => now.capacity.reduce((sum, { waiting }) => sum + waiting, 0),
  ),
  gauge.by(
    ['state', 'server'],
    'storey_stack_connections',
    'PostgreSQL connections of stacks on each server: the budget, and those that are given to stacks',
    ({ capacity }) =>
      capacity.flatMap(({ serverId: server, connections, used }) => [
        { state: 'budget', server, value: connections },
        { state: 'given', server, value: used },
      ]),
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
  gauge.by(['reason'], 'storey_stacks_requests_waiting', 'Requests that are held back', (now) =>
    heldBack(now).map(({ reason, waiting }) => ({ reason, value: waiting })),
  ),
  counter.by(
    ['reason'],
    'storey_stacks_requests_refused_total',
    'Requests refused because too many were held back, or because they waited too long',
    (now) => heldBack(now).map(({ reason, refused }) => ({ reason, value: refused })),
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
    'Time since the arrival of the oldest observation that is not folded yet',
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

const MQTT_OUTCOMES = {
  ingested: 'ingested',
  refused: 'refused',
  ignored: 'ignored',
  deadLetter: 'dead_letter',
  unstored: 'unstored',
} as const

/** If MQTT is disabled, only the metrics of dead letters have values. */
const mqtt = [
  gauge.one('storey_mqtt_clients', 'Clients of the embedded MQTT broker', (now) => now.mqtt?.clients),
  counter.by(['outcome'], 'storey_mqtt_messages_total', 'MQTT messages by outcome', ({ mqtt }) =>
    mqtt
      ? Object.entries(MQTT_OUTCOMES).map(([name, outcome]) => ({
          outcome,
          value: mqtt[name as keyof typeof MQTT_OUTCOMES],
        }))
      : [],
  ),
  gauge.one(
    'storey_mqtt_waiting_bytes',
    'Bytes of MQTT messages that are received and not stored yet. Near the limit clients are throttled',
    (now) => now.mqtt?.waitingBytes,
  ),
  gauge.one(
    'storey_mqtt_waiting_limit_bytes',
    'Upper limit of storey_mqtt_waiting_bytes',
    (now) => now.mqtt?.maxWaitingBytes,
  ),
  gauge.by(
    ['state'],
    'storey_mqtt_broker_sessions',
    'Sessions of Storey at an external MQTT broker, connected or not',
    ({ mqtt }) =>
      mqtt?.sessions
        ? [
            { state: 'connected', value: mqtt.sessions.connected },
            { state: 'disconnected', value: mqtt.sessions.disconnected },
          ]
        : [],
  ),
  gauge.one('storey_mqtt_dead_letters', 'MQTT dead letters', (now) => now.deadLetters),
  gauge.by(
    ['sandbox'],
    'storey_sandbox_mqtt_dead_letters',
    'MQTT dead letters of the 50 sandboxes that have the most',
    (now) => Object.entries(now.deadLettersBySandbox ?? {}).map(([sandbox, value]) => ({ sandbox, value })),
  ),
]

const database = [
  gauge.by(
    ['server'],
    'storey_database_up',
    '1 while the database server answers; control: the control database',
    (now) => [
      { server: 'control', value: Number(now.isDatabaseUp) },
      ...now.databaseServers.map(({ id, address, isUp }) => ({ server: id ?? address, value: Number(isUp) })),
    ],
  ),
  gauge.by(
    ['server'],
    'storey_database_owned',
    '1 while the service may create and drop databases on the server: 0 if another control database uses it',
    (now) =>
      now.databaseServers.map(({ id, address, refusal }) => ({
        server: id ?? address,
        value: Number(refusal === undefined),
      })),
  ),
  gauge.by(
    ['state'],
    'storey_database_connections',
    'Connections of the control plane to the control database: in use, and the limit',
    ({ pool }) => [
      { state: 'in_use', value: pool.inUse },
      { state: 'limit', value: pool.limit },
    ],
  ),
  gauge.one(
    'storey_database_waiting',
    'Statements of the control plane that wait for a connection',
    (now) => now.pool.waiting,
  ),
]

const environment = [
  gauge.by(['server'], 'storey_nats_server_up', '1 while the NATS server answers', (now) =>
    now.natsServers.map(({ server, isUp }) => ({ server, value: Number(isUp) })),
  ),
  gauge.one('storey_data_disk_free_bytes', 'Free space on the disk of the data folder', (now) => now.disk?.freeBytes),
  gauge.one('storey_data_disk_size_bytes', 'Size of the disk of the data folder', (now) => now.disk?.sizeBytes),
  gauge.by(
    ['host'],
    'storey_public_certificate_expiry_timestamp_seconds',
    'Unix time at which the TLS certificate of a public name expires',
    (now) =>
      now.certificates.flatMap(({ host, expiresAtMs }) =>
        expiresAtMs === undefined ? [] : [{ host, value: seconds(expiresAtMs) }],
      ),
  ),
  gauge.by(
    ['host'],
    'storey_public_certificate_readable',
    '1 if the last attempt to read the TLS certificate of a public name succeeded',
    (now) => now.certificates.map(({ host, isReadable }) => ({ host, value: Number(isReadable) })),
  ),
  gauge.one('storey_http_connections', 'Client connections of the gateway', (now) => now.connections),
  counter.one(
    'storey_access_log_dropped_total',
    'Lines that the access log dropped, because they could not be written',
    (now) => now.accessLogDropped,
  ),
]

const background = [
  counter.by(
    ['process', 'loop', 'result'],
    'storey_background_runs_total',
    'Runs of background loops by result',
    (now) =>
      loopsOf(now).flatMap(({ process, loop, succeeded, failed }) => [
        { process, loop, result: 'success', value: succeeded },
        { process, loop, result: 'failure', value: failed },
      ]),
  ),
  gauge.by(
    ['process', 'loop'],
    'storey_background_last_success_timestamp_seconds',
    'Unix time of the last successful run of a background loop; for stacks the oldest of their times',
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

export const METRICS: readonly Metric[] = [
  ...sandboxes,
  ...stacks,
  ...observations,
  ...database,
  ...mqtt,
  ...environment,
  ...clocks,
  ...background,
  ...STACK_METRICS,
]
