import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { silentLog } from '@storey/kit/log'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../settings.ts'
import { createMetrics } from './create-metrics.ts'
import { serveMetrics } from './serve-metrics.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === '::1'))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const serve = (port: number, environment: Record<string, string> = {}, counts = notRead) =>
  serveMetrics({
    metrics: createMetrics(),
    controlPlane: { counts, server: createServer() },
    settings: readSettings({ METRICS_PORT: String(port), ...environment }),
    accessLogDropped: () => 0,
    log: silentLog,
  })
const notRead = (): Promise<never> => Promise.reject(new Error('not read'))

/** The status for this Host header at a path that does not exist: 404, or 403 if the header is refused. */
async function statusFor(environment: Record<string, string>, host: string): Promise<number> {
  const port = await freePort()
  const served = await serve(port, environment)
  const at = environment.METRICS_HOST === '::1' ? '::1' : '127.0.0.1'
  const sent = request({ host: at, port, path: '/elsewhere', headers: { host }, agent: false })
  const [answer] = await once(sent.end(), 'response')
  answer.resume()
  await served.close()
  return answer.statusCode
}

describe('the address of metrics', () => {
  it('[KUB-19] is loopback, and Host headers of other hosts are refused, unless METRICS_HOST is another address', async () => {
    expect(await statusFor({}, 'prometheus.example')).toBe(403)
    expect(await statusFor({}, 'localhost')).toBe(404)
    for (const host of ['LOCALHOST:9464', '127.0.0.1:9464', '127.0.0.2', '[::1]', '[::1]:9464'])
      expect(await statusFor({}, host), host).toBe(404)
    for (const host of ['127.0.0.1.example', '[::2]:9464', 'localhost.example:9464'])
      expect(await statusFor({}, host), host).toBe(403)
    expect(await statusFor({ METRICS_HOST: '0.0.0.0' }, '10.1.2.3:9464')).toBe(404)
  })

  it.runIf(hasIpv6)(
    '[KUB-19] is loopback with METRICS_HOST=::1, and Host headers of other hosts are refused',
    async () => {
      expect(await statusFor({ METRICS_HOST: '::1' }, 'prometheus.example')).toBe(403)
      expect(await statusFor({ METRICS_HOST: '::1' }, '[::1]:9464')).toBe(404)
    },
  )
})

describe('closing the metrics server', () => {
  it('does not wait for the rest of a request that was sent in part, and answers a request in progress', async () => {
    const port = await freePort()
    const counting = Promise.withResolvers<never>()
    const isCounting = Promise.withResolvers<void>()
    const served = await serve(port, {}, () => {
      isCounting.resolve()
      return counting.promise
    })
    const slow = connect(port, '127.0.0.1')
    slow.write('GET /metrics HTTP/1.1\r\n')
    await once(slow, 'connect')
    const sent = request({ host: '127.0.0.1', port, path: '/metrics', agent: false }).end()
    const answered = once(sent, 'response')
    await isCounting.promise
    const closed = served.close()
    counting.reject(new Error('not read'))
    const [answer] = await answered
    answer.resume()
    expect(answer.statusCode).toBe(503)
    await closed
    await once(slow.resume(), 'close')
  })
})
