import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startSystem } from '../acceptance/system/system.ts'
import { findStack } from '../soak/sample-memory.ts'
import { type ComparedSystem, untilIdle } from './ingest-turns.ts'
import { createIngestWatch } from './ingest-watch.ts'
import { CONNECTIONS, loadOf, posted, published } from './loads.ts'
import { cpuSeconds } from './processes.ts'
import { timed } from './report.ts'
import { openTenantServer } from './tenant-server.ts'
import { newTower } from './tower.ts'

/** By how much the timestamps of a load advance in a second of sending, at most. */
const MAX_ADVANCE_MS = 500_000
const ACCEPTED = 202
const NO_CONTENT = 204
const INSERT_SECONDS = 5

/**
 * Storey with a large building. `sending` is for how many seconds each load is sent in all: while a load is sent its
 * timestamps advance, and Storey refuses timestamps more than a day ahead, so both loads start in the past. Their ranges
 * do not overlap, because observations that replace others take more work to fold.
 */
export async function startIngestSystem(sending: { json: number; lines: number }) {
  const [mqttPort, metricsPort] = [await freePort(), await freePort()]
  const system = await startSystem({
    env: {
      RATE_LIMIT_PER_MINUTE: '0',
      SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
      MQTT_ENABLED: 'true',
      MQTT_PORT: `${mqttPort}`,
      METRICS_PORT: `${metricsPort}`,
    },
  })
  const { record, connection, base, points } = await newTower(system)
  process.stdout.write(`${points.length} points\n`)
  const { sandboxId } = record
  const server = openTenantServer(system.dataDir)
  const stackPid = findStack(sandboxId)!
  const watch = createIngestWatch(stackPid, metricsPort)

  const jsonFrom = Date.now() - sending.json * MAX_ADVANCE_MS
  const jsonLoad = loadOf('json', points, jsonFrom)
  const lineLoad = loadOf('lines', points, jsonFrom - sending.lines * MAX_ADVANCE_MS)
  const targetOf = (path: string, type: string, expected: number) => ({
    url: `${base}/telemetry/${path}`,
    headers: { authorization: `Bearer ${connection.token}`, 'content-type': type },
    expected,
  })
  const jsonTarget = targetOf('observations', 'application/json', ACCEPTED)
  const lineTarget = targetOf('influx/write?precision=ms', 'text/plain', NO_CONTENT)
  const { url, topic, ...login } = connection.mqtt

  let longestFold = 0
  async function untilFolded(): Promise<void> {
    while ((await server.waitingObservations(sandboxId)) > 0) await sleep(100)
  }
  async function rest(): Promise<void> {
    longestFold = Math.max(longestFold, (await timed(untilFolded)).seconds)
    await untilIdle(() => cpuSeconds(system.pid).total)
  }
  const compared = (name: string, send: ComparedSystem['send']): ComparedSystem => ({ name, send, rest })

  return {
    points,
    topic: topic as string,
    watch,
    /** JSON over REST, in requests of 1,000 observations. Samples are taken meanwhile if `isWatched`. */
    json: (isWatched = false) =>
      compared('ours, JSON', (seconds) => {
        const work = posted(jsonLoad, jsonTarget, seconds)
        return isWatched ? watch.during(work) : work
      }),
    lines: compared('ours, line protocol', (seconds) => posted(lineLoad, lineTarget, seconds)),
    mqtt: compared('ours, MQTT', (seconds) => published(jsonLoad, { url, topic, login }, seconds)),
    /** The longest time that it took to fold what was left after a turn. */
    longestFoldSeconds: () => longestFold,
    restarts: () => (findStack(sandboxId) === stackPid ? 0 : 1),
    bytesPerObservation: () => server.bytesPerObservation(sandboxId),
    bareInserts: (data: Buffer) =>
      server.bareInserts(sandboxId, data, { connections: CONNECTIONS, seconds: INSERT_SECONDS }),
    remove: () => system.remove(),
  }
}
