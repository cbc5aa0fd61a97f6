import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '@storey/kit/testing/trace-receiver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMeters, QOS1, body as telemetry } from '../mqtt/meters.ts'
import { call } from '../system/call.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { freePort, type System } from '../system/system.ts'

const OBSERVATIONS = '/api/v1/buildings/:buildingId/telemetry/observations'
const INGEST = `POST ${OBSERVATIONS}`
const [SERVER, CLIENT, CONSUMER] = [2, 3, 5]

describe('traces', () => {
  let collector: TraceReceiver
  let system: System
  let meters: Awaited<ReturnType<typeof newMeters>>
  let building: string
  let token: string
  beforeAll(async () => {
    collector = await startTraceReceiver()
    system = await startInstalled({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20the%20collector',
        OTEL_EXPORTER_OTLP_TIMEOUT: '500',
        OTEL_BSP_SCHEDULE_DELAY: '100',
        OTEL_SERVICE_NAME: 'twin',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        MQTT_ENABLED: 'true',
        MQTT_PORT: String(await freePort()),
        LOG_LEVEL: 'info',
      },
    })
    const actors = actorsAt(system)
    const { key } = await actors.newDeveloper()
    meters = await newMeters(actors, key)
    building = `${meters.connection.apiUrl}/api/v1/buildings/${meters.connection.buildingId}`
    token = meters.connection.token
  })
  afterAll(async () => {
    await system.remove()
    await collector.stop()
  })

  const ingest = (value: string, headers: Record<string, string> = {}) =>
    call(`${building}/telemetry/observations`, {
      ...{ token, headers },
      body: { observations: [{ pointId: meters.pointId, value }] },
    })
  const requestOf = (id: unknown, service: string) =>
    collector.spans.find(
      ({ attributes, resource }) => attributes['storey.request.id'] === id && resource['service.name'] === service,
    )
  const childrenOf = ({ spanId, traceId }: ReceivedSpan) =>
    collector.inTrace(traceId).filter(({ parentSpanId }) => parentSpanId === spanId)
  const received = <T>(find: () => T | undefined): Promise<NonNullable<T>> =>
    expect.poll(find).toBeTruthy() as unknown as Promise<NonNullable<T>>

  it('[TRC-01] contain the gateway, the stack and the database in one tree', async () => {
    const { status, headers } = await ingest('21.5')
    expect(status).toBe(202)
    const id = headers['x-request-id']
    await received(() => requestOf(id, 'twin') && requestOf(id, 'twin-stack'))
    const [gateway, stack] = [requestOf(id, 'twin')!, requestOf(id, 'twin-stack')!]
    expect(gateway).toMatchObject({
      name: INGEST,
      kind: SERVER,
      parentSpanId: '',
      hasFailed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': OBSERVATIONS,
        'http.response.status_code': 202,
        'url.path': new URL(building).pathname.concat('/telemetry/observations'),
        'url.scheme': 'http',
        'client.address': '127.0.0.1',
        'storey.part': 'stack',
        'storey.sandbox.id': meters.record.sandboxId,
      },
      resource: { 'deployment.environment.name': 'test' },
    })
    expect(stack).toMatchObject({
      name: INGEST,
      kind: SERVER,
      traceId: gateway.traceId,
      parentSpanId: gateway.spanId,
      attributes: { 'http.route': OBSERVATIONS, 'http.response.status_code': 202 },
      resource: { 'storey.sandbox.id': meters.record.sandboxId },
    })
    const statements = childrenOf(stack).filter(({ kind }) => kind === CLIENT)
    expect(statements.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^insert observation_batches/))
    for (const { attributes } of statements) expect(attributes).toMatchObject({ 'db.system.name': 'postgresql' })
    expect(collector.requests[0]!.headers).toMatchObject({ 'api-key': 'of the collector' })
    expect(JSON.stringify(collector.spans)).not.toContain(token)
  })

  it('[TRC-02] continue the trace of a client that sends its context', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const { headers } = await ingest('22', { traceparent: `00-${traceId}-00f067aa0ba902b7-00`, tracestate: 'a=b' })
    const id = headers['x-request-id']
    await received(() => requestOf(id, 'twin') && requestOf(id, 'twin-stack'))
    expect(requestOf(id, 'twin')).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' })
    expect(requestOf(id, 'twin-stack')).toMatchObject({ traceId, parentSpanId: requestOf(id, 'twin')!.spanId })
  })

  it('[TRC-01] contain requests of the control plane with their statements, and the sandbox that it provisions', async () => {
    await received(() => collector.named('POST /api/v1/sandboxes')[0])
    const [created] = collector.named('POST /api/v1/sandboxes') as [ReceivedSpan]
    expect(created.attributes).toMatchObject({ 'storey.part': 'provisioning', 'http.response.status_code': 202 })
    const names = childrenOf(created).map(({ name }) => name)
    expect(names).toContainEqual(expect.stringMatching(/^insert sandboxes|insert .*sandboxes/))
    expect(names).toContain('commit')
    const [provisioned] = collector.named('provision sandbox') as [ReceivedSpan]
    expect(provisioned).toMatchObject({
      parentSpanId: '',
      attributes: { 'storey.sandbox.id': meters.record.sandboxId },
    })
    expect(provisioned.traceId).not.toBe(created.traceId)
    expect(childrenOf(provisioned).map(({ name }) => name)).toContain('seed building')
  })

  it('[TRC-01] contain deliveries of webhooks, whose receivers get no context', async () => {
    const sent: IncomingHttpHeaders[] = []
    const receiver = createServer((request, response) => {
      sent.push(request.headers)
      response.writeHead(500).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const subscription = { url: `http://127.0.0.1:${port}/a-secret-path`, events: ['building.point.updated'] }
    const webhook = await call(`${meters.connection.apiUrl}/api/v1/webhooks`, { token, body: subscription })
    await ingest('23')
    await received(() => collector.named('POST webhook')[0])
    receiver.close()
    expect(collector.named('POST webhook')[0]).toMatchObject({
      kind: CLIENT,
      parentSpanId: '',
      hasFailed: true,
      attributes: {
        'server.address': '127.0.0.1',
        'server.port': port,
        'http.response.status_code': 500,
        'storey.webhook.id': webhook.json.id,
        'storey.webhook.idempotency_key': sent[0]!['x-svc-idempotency-key'],
      },
    })
    expect(sent[0]).not.toHaveProperty('traceparent')
    expect(JSON.stringify(collector.spans)).not.toContain('a-secret-path')
  })

  it('[TRC-01] contain MQTT messages, with the stack and the database', async () => {
    const client = await meters.connect()
    await client.publishAsync(meters.mqtt.topic, telemetry(meters.observation(1)), QOS1)
    await client.endAsync()
    await received(() => collector.named('process telemetry')[0])
    const [message] = collector.named('process telemetry') as [ReceivedSpan]
    expect(message).toMatchObject({
      kind: CONSUMER,
      parentSpanId: '',
      attributes: {
        'messaging.system': 'mqtt',
        'storey.mqtt.outcome': 'ingested',
        'storey.sandbox.id': meters.record.sandboxId,
      },
    })
    await received(() => childrenOf(message).find(({ kind }) => kind === SERVER))
    const stack = childrenOf(message).find(({ kind }) => kind === SERVER)!
    expect(stack.name).toBe(INGEST)
    expect(childrenOf(stack).length).toBeGreaterThan(0)
  })

  it('[TRC-01] contain the folding of observations', async () => {
    await received(() => collector.named('fold observations')[0])
    expect(collector.named('fold observations')[0]!.parentSpanId).toBe('')
  })

  it('[TRC-01] contain neither probes nor the query of a request', async () => {
    await call(`${system.url}/healthz`)
    const { headers } = await call(`${building}/points?limit=1&cursor=a-secret-cursor`, { token })
    await received(() => requestOf(headers['x-request-id'], 'twin'))
    expect(JSON.stringify(collector.spans)).not.toMatch(/healthz|secret-cursor/)
  })

  it('[TRC-04] are dropped while the collector refuses, hangs or is down: requests succeed, and the log has one line', async () => {
    for (const mode of ['refuse', 'hang'] as const) {
      collector.mode = mode
      for (let i = 0; i < 20; i++) expect((await ingest(String(i))).status).toBe(202)
    }
    const lines = () =>
      system
        .output()
        .split('\n')
        .filter((line) => line.includes('traces not exported'))
    await expect.poll(lines).toHaveLength(1)
    await collector.stop()
    for (let i = 0; i < 20; i++) expect((await ingest(String(i))).status).toBe(202)
    expect(lines()).toHaveLength(1)
    expect(await system.stop()).toBe(0)
  })
})
