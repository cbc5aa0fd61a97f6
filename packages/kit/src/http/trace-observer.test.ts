import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestTracing } from '../testing/open-test-tracing.ts'
import { startTraceReceiver, type TraceReceiver } from '../testing/trace-receiver.ts'
import type { OpenedTracing } from '../tracing/index.ts'
import { observe } from './observe.ts'
import { createTraceObserver } from './trace-observer.ts'

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

let collector: TraceReceiver
let tracing: OpenedTracing
let server: Server
let isProxy = false
let status = 200
beforeAll(async () => {
  collector = await startTraceReceiver()
  tracing = await openTestTracing(collector, { OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
  const observers = [createTraceObserver({ scheme: 'https', isTrustedProxy: () => isProxy })]
  server = createServer((incoming, response) => {
    const observed = observe(observers, incoming, response, { part: 'stack', clientAddress: '192.0.2.1' })
    observed.route = '/things/:id'
    observed.requestId = 'req_1'
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  collector.spans.length = 0
  status = 200
})
afterAll(async () => {
  await tracing.close()
  await collector.stop()
  server.closeAllConnections()
  server.close()
})

function get(path: string): Promise<void> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, headers: { traceparent: PARENT }, agent: false }, (answer) => {
      answer.resume().once('close', () => resolve())
    })
    sent.once('error', reject).end()
  })
}

describe('the spans of requests', () => {
  it('[TRC-02] continue the trace of a trusted proxy, and not that of a client', async () => {
    isProxy = false
    await get('/things/1')
    isProxy = true
    await get('/things/2?token=secret')
    await expect.poll(() => collector.spans).toHaveLength(1)
    expect(collector.spans[0]).toMatchObject({
      name: 'GET /things/:id',
      parentSpanId: 'b7ad6b7169203331',
      hasFailed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'http.route': '/things/:id',
        'url.path': '/things/2',
        'url.scheme': 'https',
        'client.address': '192.0.2.1',
        'storey.part': 'stack',
        'storey.request.id': 'req_1',
      },
    })
  })

  it('are marked as failed after an error of the service, and not after one of the client', async () => {
    isProxy = true
    status = 404
    await get('/things/3')
    status = 503
    await get('/things/4')
    await expect.poll(() => collector.spans).toHaveLength(2)
    const failures = collector.spans.map(({ hasFailed, attributes }) => [hasFailed, attributes['error.type']])
    expect(failures).toEqual([
      [false, undefined],
      [true, '503'],
    ])
  })

  it('do not contain a credential from a target in absolute form', async () => {
    isProxy = true
    await get('http://user:secret@localhost/things/5?x')
    await expect.poll(() => collector.spans).toHaveLength(1)
    expect(collector.spans[0]!.attributes['url.path']).toBe('/things/5')
  })

  it('are not created for probes, whatever the form of the target', async () => {
    isProxy = true
    for (const probe of ['/healthz', '/readyz?verbose', 'http://localhost/healthz', 'HTTP://127.0.0.1:4000/readyz?x'])
      await get(probe)
    await get('/healthz/x')
    await expect.poll(() => collector.spans).toHaveLength(1)
    expect(collector.spans[0]!.attributes['url.path']).toBe('/healthz/x')
  })

  it('have a path of bounded length', async () => {
    isProxy = true
    await get(`/${'x'.repeat(5_000)}?${'y'.repeat(5_000)}`)
    await expect.poll(() => collector.spans).toHaveLength(1)
    expect(collector.spans[0]!.attributes['url.path']).toBe(`/${'x'.repeat(511)}`)
  })
})
