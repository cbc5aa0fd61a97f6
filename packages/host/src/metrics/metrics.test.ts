import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { systemClock } from '@storey/kit/clock'
import { openDatabase, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { DEMO } from '@storey/provisioning'
import { createOrganizations, mintOperatorKey } from '@storey/provisioning/operator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../service.ts'
import { readSettings } from '../settings.ts'

let folder: string
let database: TestDatabase
let service: Service
// biome-ignore lint/suspicious/noExplicitAny: tests read responses without a schema
let sandbox: any
let [port, metricsPort] = [0, 0]

const accessLog = () => join(folder, 'access.log')

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

beforeAll(async () => {
  folder = temporaryFolder('storey-metrics')
  database = await testDatabase({ migrations: [] })
  port = await freePort()
  metricsPort = await freePort()
  const environment = {
    PORT: `${port}`,
    METRICS_PORT: `${metricsPort}`,
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    ACCESS_LOG: accessLog(),
    RATE_LIMIT_PER_MINUTE: '1000',
  }
  service = await startService(readSettings(environment), (err) => expect.unreachable(err.message))
})
afterAll(async () => {
  await service.close()
  await database.drop()
})

// biome-ignore lint/suspicious/noExplicitAny: tests read responses without a schema
function ask(url: URL, token: string, body?: object): Promise<any> {
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const options = {
      host: '127.0.0.1',
      port: url.port,
      path: url.pathname + url.search,
      headers,
      agent: false as const,
    }
    const asked = request({ ...options, method: body ? 'POST' : 'GET' }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      answer.on('end', () => resolve(JSON.parse(text)))
    })
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

async function newSandbox() {
  const { findDeveloper } = createOrganizations({ control: database.database, clock: systemClock })
  const { plaintext: key } = await mintOperatorKey(
    { control: database.database, clock: systemClock, findDeveloper },
    { organizationId: DEMO.organizationId, scope: 'sandbox', neverExpires: true },
  )
  const api = (path: string, body?: object) => ask(new URL(`http://localhost:${port}/api/v1${path}`), key, body)
  const small = { storeys: 1, spacesMin: 1, spacesMax: 4, seedTelemetryDays: 0 }
  const { sandboxId } = await api('/sandboxes', { name: 'Metrics', ...small })
  await expect.poll(async () => (await api(`/sandboxes/${sandboxId}`)).status).toBe('ready')
  return { sandboxId, key, ...(await api(`/sandboxes/${sandboxId}/connection`)) }
}

const metrics = async () => await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

/** The value of a metric in the text. */
const sample = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])

const statusFor = (method: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: metricsPort, path: '/metrics', method, headers: { host }, agent: false }
    const sent = request(options, (answer) => {
      answer.resume()
      resolve(answer.statusCode!)
    })
    sent.on('error', reject).end()
  })

describe('/metrics', () => {
  it('answers GET only if the Host header is localhost or a loopback address, and refuses POST', async () => {
    for (const host of ['localhost', `LOCALHOST:${metricsPort}`, '127.0.0.1', `[::1]:${metricsPort}`])
      expect(await statusFor('GET', host), host).toBe(200)
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])
      expect(await statusFor('GET', host), host).toBe(403)
    expect(await statusFor('POST', 'localhost')).toBe(405)
  })

  it('reports waiting and folded observations, the memory of stacks, and background runs', async () => {
    const before = await metrics()
    expect(sample(before, 'storey_observations_waiting')).toBe(0)
    expect(sample(before, 'storey_observations_oldest_waiting_seconds')).toBe(0)

    sandbox = await newSandbox()
    const { apiUrl, buildingId, token } = sandbox
    const building = `${apiUrl}/api/v1/buildings/${buildingId}`
    const { data } = await ask(new URL(`${building}/points?limit=1`), token)
    const observations = Array.from({ length: 250 }, (_, i) => ({
      pointId: data[0].id,
      value: `${i}`,
      timestamp: new Date(Date.now() - i * 1000).toISOString(),
    }))
    await ask(new URL(`${building}/telemetry/observations`), token, { observations })
    const meanwhile = await metrics()
    expect(sample(meanwhile, 'storey_stacks_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(sample(meanwhile, 'storey_stack_largest_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    for (const reason of ['memory', 'folding', 'edits'])
      expect(sample(meanwhile, `storey_stacks_requests_waiting{reason="${reason}"}`)).toBe(0)
    expect(sample(meanwhile, 'storey_observations_waiting')).toBe(250)
    expect(sample(meanwhile, 'storey_observations_oldest_waiting_seconds')).toBeGreaterThan(0)
    expect(sample(meanwhile, 'storey_observations_folded_total')).toBe(0)

    await expect.poll(async () => sample(await metrics(), 'storey_observations_folded_total')).toBe(250)
    expect(sample(await metrics(), 'storey_observations_waiting')).toBe(0)
    expect(await metrics()).toContain('# TYPE storey_observations_folded_total counter')
    const loop = (process: string, loop: string) => `process="${process}",loop="${loop}"`
    for (const labels of [loop('control-plane', 'audit-writes'), loop('stack', 'due-work')]) {
      expect(sample(await metrics(), `storey_background_runs_total{${labels},result="success"}`)).toBeGreaterThan(0)
      // Test files share the process, so an earlier file may have caused failures.
      const failures = `storey_background_runs_total{${labels},result="failure"}`
      expect(sample(await metrics(), failures)).toBe(sample(before, failures) || 0)
      expect(sample(await metrics(), `storey_background_last_success_timestamp_seconds{${labels}}`)).toBeGreaterThan(
        1e9,
      )
    }
  })

  it('[HST-75] counts requests by route and status, and reports each awake sandbox', async () => {
    const text = await metrics()
    const requests = (labels: string) => sample(text, `storey_http_requests_total{${labels}}`)
    expect(requests('part="provisioning",method="POST",route="/api/v1/sandboxes",status="202"')).toBe(1)
    const ingest = 'part="stack",method="POST",route="/api/v1/buildings/:buildingId/telemetry/observations"'
    expect(requests(`${ingest},status="202"`)).toBe(1)
    expect(sample(text, `storey_http_request_duration_seconds_count{${ingest}}`)).toBe(1)
    const { sandboxId } = sandbox
    expect(sample(text, `storey_stack_resident_memory_bytes{sandbox="${sandboxId}"}`)).toBeGreaterThan(10_000_000)
    expect(sample(text, `storey_stack_http_requests_total{sandbox="${sandboxId}",code="2xx"}`)).toBe(2)
    expect(sample(text, `storey_stack_database_up{sandbox="${sandboxId}"}`)).toBe(1)
    expect(sample(text, `storey_stack_database_connections{sandbox="${sandboxId}",state="limit"}`)).toBeGreaterThan(1)
    for (const name of ['webhook_deliveries_due', 'webhooks_failing', 'imports_waiting', 'live_connections'])
      expect(sample(text, `storey_stack_${name}{sandbox="${sandboxId}"}`)).toBe(0)
    expect(sample(text, 'storey_stack_start_duration_seconds_count')).toBe(1)
    expect(sample(text, 'storey_sandbox_creation_duration_seconds_count')).toBe(1)
    expect(sample(text, 'storey_database_up{server="control"}')).toBe(1)
    // Neither ids of buildings and points nor anything else that clients choose becomes a label.
    expect(text).not.toContain(sandbox.buildingId)
  })

  it('[HST-73] does not turn off the access log: each request has a line in it, without credentials', async () => {
    const lines = () => readFileSync(accessLog(), 'utf8')
    await expect.poll(lines).toContain('"method":"POST","path":"/api/v1/sandboxes"')
    await expect.poll(lines).toContain('/telemetry/observations')
    const ingested = lines()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .find(({ path }) => path.endsWith('/telemetry/observations'))
    expect(ingested).toMatchObject({
      ...{ method: 'POST', route: '/api/v1/buildings/:buildingId/telemetry/observations', part: 'stack', status: 202 },
      ...{ client: '127.0.0.1', sandboxId: sandbox.sandboxId, callerKind: 'sandbox' },
      requestId: expect.stringMatching(/^req_/),
    })
    expect(ingested.durationMs).toBeGreaterThan(0)
    expect(ingested.bytes).toBeGreaterThan(0)
    expect(lines()).toContain('"callerKind":"key","callerId":"key_')
    for (const secret of [sandbox.key, sandbox.token, 'limit=1']) expect(lines()).not.toContain(secret)
  })

  it('reports the process itself, and no MQTT clients or messages if MQTT is disabled', async () => {
    const text = await metrics()
    for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes']) {
      expect(sample(text, name)).toBeGreaterThan(1_000_000)
    }
    expect(sample(text, 'process_start_time_seconds')).toBeGreaterThan(1e9)
    // MQTT is disabled here, so these two metrics are defined but have no values.
    expect(text).toContain('# TYPE storey_mqtt_clients gauge')
    expect(text).not.toMatch(/^storey_mqtt_(clients|messages_total)\b/m)
  })

  it('returns all values to each of several concurrent scrapes', async () => {
    const texts = await Promise.all(Array.from({ length: 8 }, metrics))
    for (const text of texts) {
      expect(text.match(/^storey_sandboxes\{/gm)).toHaveLength(texts[0]!.match(/^storey_sandboxes\{/gm)!.length)
      expect(sample(text, 'storey_observations_folded_total')).toBe(250)
    }
  })

  it('[HST-75] reports requests that wait for folding, and those that are refused meanwhile', async () => {
    const { apiUrl, buildingId, token, sandboxId } = sandbox
    const building = `${apiUrl}/api/v1/buildings/${buildingId}`
    const { data } = await ask(new URL(`${building}/points?limit=1`), token)
    const observations = [{ pointId: data[0].id, value: '1' }]
    const ingest = () => ask(new URL(`${building}/telemetry/observations`), token, { observations })
    const foldingSample = async (metric: string, labels = '') =>
      sample(await metrics(), `storey_${metric}{${labels}reason="folding"}`)
    const release = await holdFolding(sandboxId)

    // The stack finds out at its next fold that too many bytes wait.
    const sent: ReturnType<typeof ingest>[] = []
    const sendAndCountWaiting = async () => {
      sent.push(ingest())
      return await foldingSample('stacks_requests_waiting')
    }
    await expect.poll(sendAndCountWaiting, { interval: 500 }).toBeGreaterThan(0)
    expect(await foldingSample('stacks_requests_refused_total')).toBe(0)
    sent.push(...Array.from({ length: 128 }, ingest))
    await expect.poll(() => foldingSample('stacks_requests_refused_total')).toBeGreaterThan(0)
    expect(await foldingSample('stacks_requests_waiting')).toBe(128)
    expect(await foldingSample('stack_requests_waiting', `sandbox="${sandboxId}",`)).toBe(128)
    await release()
    const answers = await Promise.all(sent)
    const refused = await foldingSample('stacks_requests_refused_total')
    expect(answers.filter(({ code }) => code === 'NOT_READY')).toHaveLength(refused)
    expect(answers.filter(({ accepted }) => accepted === 1)).toHaveLength(sent.length - refused)
    expect(await foldingSample('stacks_requests_waiting')).toBe(0)
    expect(sample(await metrics(), 'storey_stacks_requests_refused_total{reason="memory"}')).toBe(0)
  })
})

/**
 * Blocks folding by a long transaction on the server, and stores an empty batch that counts more bytes than may wait for
 * folding. Returns a function that ends the transaction.
 */
async function holdFolding(sandboxId: string): Promise<() => Promise<void>> {
  const { name } = (await database.database.row<{ name: string }>(
    sql`select datname as name from pg_database where datname like ${`%${sandboxId}`}`,
  ))!
  const url = new URL(database.url)
  url.pathname = `/${name}`
  const tenant = openDatabase({ url: url.href, log: silentLog, applicationName: 'test', maxConnections: 2 })
  const [began, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = tenant.transaction(async (tx) => {
    await tx.run(sql`select pg_current_xact_id()`)
    await tenant.run(sql`
      insert into observation_batches (received_at, first_at, last_at, count, data)
      values (now(), '2020-01-01', '2020-01-01', 10000000, '')`)
    began.resolve()
    await over.promise
  })
  await Promise.race([began.promise, done])
  return async () => {
    over.resolve()
    await done
    await tenant.close()
  }
}
