import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { openTestTracing } from '../testing/open-test-tracing.ts'
import { startTraceReceiver, type TraceReceiver } from '../testing/trace-receiver.ts'
import type { OpenedTracing } from '../tracing/index.ts'
import { createHttp, type HttpApp } from './app.ts'

let collector: TraceReceiver
let tracing: OpenedTracing
let app: HttpApp
let client: Socket
beforeAll(async () => {
  collector = await startTraceReceiver()
  tracing = await openTestTracing(collector)
  app = await createHttp({
    ...{ title: 'Test', description: 'A test', log: silentLog, trustRequestId: true },
    authorize: async () => undefined,
    checkReady: async () => undefined,
  })
  const config = { access: 'public' }
  app.get('/things', { config }, async () => ({ name: 'a' }))
  app.get('/never', { config }, () => {
    client.destroy()
    return new Promise(() => undefined)
  })
  app.get('/partial', { config }, (_, reply) => {
    reply.hijack()
    reply.raw.writeHead(201).write('a')
    client.destroy()
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => {
  client.destroy()
  collector.spans.length = 0
})
afterAll(async () => {
  await app.close()
  await tracing.close()
  await collector.stop()
})

async function send(head: string): Promise<Record<string, unknown>> {
  client = connect((app.server.address() as { port: number }).port, '127.0.0.1').on('error', () => undefined)
  client.write(`${head}\r\nhost: x\r\n\r\n`)
  await expect.poll(() => collector.spans).toHaveLength(1)
  return collector.spans[0]!.attributes
}

describe('the span of a request to an application behind the gateway', () => {
  it('has the status of the response', async () => {
    expect(await send('GET /things HTTP/1.1')).toMatchObject({ 'http.response.status_code': 200 })
    expect(collector.spans[0]).toMatchObject({ name: 'GET /things', hasFailed: false })
  })

  it('has status 499, like the span of the gateway, if the client disconnected before the response', async () => {
    expect(await send('GET /never HTTP/1.1')).toMatchObject({ 'http.response.status_code': 499 })
    expect(collector.spans[0]).toMatchObject({ hasFailed: false })
  })

  it('has the status of a response that the client has not read completely', async () => {
    expect(await send('GET /partial HTTP/1.1')).toMatchObject({ 'http.response.status_code': 201 })
  })
})
