import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../acceptance/system/actors.ts'
import { call } from '../acceptance/system/call.ts'
import { type System, startSystem } from '../acceptance/system/system.ts'
import type { ReceivedSpan } from '../packages/kit/src/testing/trace-receiver.ts'
import { type Collector, createCollector } from './otel/collector.ts'
import { runSuite, type Suite } from './suite.ts'
import { until } from './until.ts'

/**
 * Checks that complete traces reach a backend through an OpenTelemetry collector, and that clients notice nothing if
 * the collector is down or frozen, or if the export is misconfigured.
 */

const INGEST = 'POST /api/v1/buildings/:buildingId/telemetry/observations'
const OBSERVATIONS = 1_000
const UNLIMITED = { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' }
const SOON = { OTEL_BSP_SCHEDULE_DELAY: '200', OTEL_EXPORTER_OTLP_TIMEOUT: '2000' }
const OUTAGE_MS = 8_000

/** Starts a system that exports traces as these variables configure, and creates a sandbox in it. */
async function openTraced(suite: Suite, env: Record<string, string>) {
  const system = await startSystem({ env: { ...UNLIMITED, ...SOON, LOG_LEVEL: 'info', ...env } })
  suite.onEnd(() => system.remove())
  const { operator, newSandbox } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const { connection, record } = await newSandbox(key, { name: 'Traces' })
  const { apiUrl, buildingId, token } = connection
  const base = `${apiUrl}/api/v1/buildings/${buildingId}`
  const { json } = await call(`${base}/points?limit=1`, { token })
  const pointId: string = json.data[0].id
  let at = Date.now() - 86_400_000

  /** Sends a thousand observations and returns the id of the request. */
  async function ingest(headers: Record<string, string> = {}): Promise<string> {
    const observations = Array.from({ length: OBSERVATIONS }, (_, i) => ({
      ...{ pointId, value: `${20 + (i % 9)}`, timestamp: new Date(at + i).toISOString() },
    }))
    at += OBSERVATIONS
    const answer = await call(`${base}/telemetry/observations`, { token, headers, body: { observations } })
    assert.equal(answer.status, 202, answer.text)
    return answer.headers['x-request-id'] as string
  }
  return { system, ingest, token, sandboxId: record.sandboxId as string }
}
type Traced = Awaited<ReturnType<typeof openTraced>>

const lines = (system: System, text: string) =>
  system
    .output()
    .split('\n')
    .filter((line) => line.includes(text))

const requestsOf = ({ backend }: Collector, id: string) =>
  backend.spans.filter(({ attributes }) => attributes['storey.request.id'] === id)

/** Fails unless the spans of a request are one tree: gateway, stack, statements. */
function checkTree(collector: Collector, id: string): ReceivedSpan[] {
  const [first] = requestsOf(collector, id)
  const spans = collector.backend.inTrace(first!.traceId)
  const root = spans.find(({ parentSpanId }) => parentSpanId === '')
  const ids = new Set(spans.map(({ spanId }) => spanId))
  assert.equal(root?.resource['service.name'], 'storey')
  assert.ok(
    spans.every(({ parentSpanId }) => parentSpanId === '' || ids.has(parentSpanId)),
    'a span has no parent in its trace',
  )
  const stack = spans.find(({ parentSpanId, kind }) => parentSpanId === root!.spanId && kind === 2)
  assert.equal(stack?.resource['service.name'], 'storey-stack')
  assert.equal(stack?.name, INGEST)
  const inserted = spans.find(({ parentSpanId, name }) => parentSpanId === stack!.spanId && /^insert /.test(name))
  assert.equal(inserted?.attributes['db.system.name'], 'postgresql')
  assert.ok(inserted!.startMs >= stack!.startMs && stack!.startMs >= root!.startMs)
  return spans
}

async function untilTraced(collector: Collector, id: string): Promise<ReceivedSpan[]> {
  await until('both spans of the request', () => requestsOf(collector, id).length === 2)
  await until('its statements', () => {
    const [{ traceId }] = requestsOf(collector, id) as [ReceivedSpan]
    return collector.backend.inTrace(traceId).some(({ name }) => /^insert /.test(name))
  })
  return checkTree(collector, id)
}

const describeTree = (spans: readonly ReceivedSpan[]): string =>
  spans
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ name, startMs, endMs }) => `${name} ${(endMs - startMs).toFixed(1)} ms`)
    .join(', ')

async function checkProtocols(suite: Suite, collector: Collector): Promise<Traced> {
  const traced = await openTraced(suite, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  await suite.check('http/protobuf: a request is one tree of gateway, stack and database', async () => {
    const spans = await untilTraced(collector, await traced.ingest())
    assert.equal(collector.backend.requests[0]!.headers.authorization, collector.authorization)
    return describeTree(spans)
  })
  await suite.check('http/json with gzip: a request is one tree too', async () => {
    const variables = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    }
    const other = await openTraced(suite, variables)
    const spans = await untilTraced(collector, await other.ingest())
    await other.system.stop()
    return `${spans.length} spans`
  })
  await suite.check('the trace context that a client sends is continued', async () => {
    const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
    const id = await traced.ingest({ traceparent: `00-${traceId}-${parent}-01` })
    await until('the spans', () => requestsOf(collector, id).length === 2)
    const [gateway] = requestsOf(collector, id).filter(({ parentSpanId }) => parentSpanId === parent)
    assert.equal(gateway?.traceId, traceId)
  })
  await suite.check('spans contain neither the token nor the full text of statements', async () => {
    const text = JSON.stringify(collector.backend.spans)
    assert.ok(!text.includes(traced.token))
    assert.ok(!/values? \(|\$\d/.test(text))
  })
  return traced
}

async function checkOutages(suite: Suite, collector: Collector, { system, ingest }: Traced): Promise<void> {
  /** Ingests for a while, one request after another, and returns the median and the longest time. */
  async function ingestFor(ms: number): Promise<string> {
    const took: number[] = []
    for (const end = performance.now() + ms; performance.now() < end; ) {
      const from = performance.now()
      await ingest()
      took.push(performance.now() - from)
    }
    took.sort((a, b) => a - b)
    return `${took.length} requests, median ${took[took.length >> 1]!.toFixed(1)} ms, longest ${took.at(-1)!.toFixed(0)} ms`
  }
  const failures = () => lines(system, 'traces not exported').length
  const recoveries = () => lines(system, 'traces exported again').length
  async function untilTraces(): Promise<void> {
    await until('spans arrive again', async () => {
      const id = await ingest()
      await sleep(500)
      return requestsOf(collector, id).length === 2
    })
  }

  await suite.check('the collector runs: every request succeeds (times for comparison)', () => ingestFor(OUTAGE_MS))
  for (const [what, begin, end] of [
    ['killed', () => collector.kill9(), () => collector.start()],
    ['frozen: it accepts connections and never answers', collector.freeze, collector.thaw],
  ] as const) {
    await suite.check(
      `the collector is ${what}: every request succeeds, the outage is one log line, and traces arrive afterwards`,
      async () => {
        const [failed, recovered] = [failures(), recoveries()]
        await begin()
        const figures = await ingestFor(OUTAGE_MS)
        await until('the log line', () => failures() > failed)
        await ingestFor(2_000)
        assert.equal(failures(), failed + 1)
        await end()
        await untilTraces()
        await until('the end of the outage in the log', () => recoveries() > recovered)
        assert.equal(recoveries(), recovered + 1)
        return figures
      },
    )
  }
  await suite.check('the service stops while the collector is frozen', async () => {
    collector.freeze()
    await ingest()
    assert.equal(await system.stop(), 0)
    collector.thaw()
  })
}

async function checkSampling(suite: Suite, collector: Collector): Promise<void> {
  await suite.check(
    'with a ratio of 0.25, that part of the traces arrives, each complete, whatever clients ask for',
    async () => {
      const { system, ingest } = await openTraced(suite, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      })
      const ids: string[] = []
      for (let i = 0; i < 200; i++) {
        const traceId = `${i}`.padStart(32, '0')
        ids.push(await ingest(i % 2 === 0 ? {} : { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }))
      }
      await system.stop()
      await sleep(1_000)
      const counts = ids.map((id) => requestsOf(collector, id).length)
      assert.ok(counts.every((count) => count === 0 || count === 2))
      const sampled = counts.filter((count) => count === 2).length
      assert.ok(sampled > 20 && sampled < 80, `${sampled} of 200`)
      return `${sampled} of 200`
    },
  )
}

async function checkMisconfigured(suite: Suite, collector: Collector): Promise<void> {
  const cases = [
    ['a wrong path', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/spans` }],
    ['a certificate of an unknown authority', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }],
  ] as const
  for (const [i, [what, env]] of cases.entries()) {
    await suite.check(`${what}: requests succeed, and one log line names the reason`, async () => {
      const trust = i === 0 ? { NODE_EXTRA_CA_CERTS: collector.authority } : {}
      const { system, ingest } = await openTraced(suite, { ...env, ...trust })
      for (let n = 0; n < 20; n++) await ingest()
      await until('the log line', () => lines(system, 'traces not exported').length > 0)
      await sleep(2_000)
      const found = lines(system, 'traces not exported')
      await system.stop()
      assert.equal(found.length, 1, found.join('\n'))
      return found[0]!.replace(/^.*?traces/, 'traces').trim()
    })
  }
}

await runSuite('otel', async (suite) => {
  const collector = await createCollector()
  suite.onEnd(() => collector.remove())
  await collector.start()
  suite.engine('OpenTelemetry collector', collector.version)
  const traced = await checkProtocols(suite, collector)
  await checkOutages(suite, collector, traced)
  await checkSampling(suite, collector)

  const secured = await createCollector({ hasTls: true })
  suite.onEnd(() => secured.remove())
  await secured.start()
  await suite.check('TLS with a certificate of a private authority', async () => {
    const { system, ingest } = await openTraced(suite, {
      OTEL_EXPORTER_OTLP_ENDPOINT: secured.url,
      NODE_EXTRA_CA_CERTS: secured.authority,
    })
    const spans = await untilTraced(secured, await ingest())
    await system.stop()
    return `${spans.length} spans`
  })
  await checkMisconfigured(suite, secured)
})
process.exit()
