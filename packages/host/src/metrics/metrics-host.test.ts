import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** The status for this Host header at a path that does not exist: 404, or 403 if the header is refused. */
async function statusFor(environment: Record<string, string>, host: string): Promise<number> {
  const port = await freePort()
  const served = await serveMetrics({
    metrics: createMetrics(),
    controlPlane: { counts: () => Promise.reject(new Error('not read')), server: createServer() },
    settings: readSettings({ METRICS_PORT: String(port), ...environment }),
    accessLogDropped: () => 0,
    log: silentLog,
  })
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
