import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { type Network, startNetwork } from '@storey/kit/testing/network'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../service.ts'
import { readSettings } from '../settings.ts'

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

describe('monitors during an outage of the database', () => {
  let database: TestDatabase
  let network: Network
  let service: Service
  let [port, metricsPort] = [0, 0]
  /**
   * How long a monitor waits for a response. Statements are cancelled only after 45 s, so a response must not wait for
   * the end of a statement.
   */
  const LIMIT_MS = 8_000
  const metrics = async () => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(LIMIT_MS) })
    expect(answer.status).toBe(200)
    return await answer.text()
  }

  beforeAll(async () => {
    database = await testDatabase({ migrations: [] })
    network = await startNetwork(database.url)
    port = await freePort()
    metricsPort = await freePort()
    const environment = {
      PORT: `${port}`,
      METRICS_PORT: `${metricsPort}`,
      DATA_DIR: temporaryFolder('storey-metrics-outage'),
      DATABASE_URL: network.url,
      LOG_LEVEL: 'silent',
    }
    service = await startService(readSettings(environment), (err) => expect.unreachable(err.message))
  })
  afterAll(async () => {
    network.thaw()
    await service.close()
    network.close()
    await database.drop()
  })

  it('[HST-07] learn in time that the service is not ready', async () => {
    const readiness = async () => {
      const answer = await fetch(`http://localhost:${port}/readyz`, { signal: AbortSignal.timeout(LIMIT_MS) })
      return [answer.status, ((await answer.json()) as { code?: string }).code]
    }
    expect(await readiness()).toEqual([200, undefined])
    network.freeze()
    const notReady = [503, 'NOT_READY']
    expect(await Promise.all([readiness(), readiness()])).toEqual([notReady, notReady])
    network.thaw()
    await expect.poll(readiness).toEqual([200, undefined])
  })

  it('[HST-74] get the last known values from /metrics, and learn that the database does not respond', async () => {
    const before = await metrics()
    expect(before).toContain('\nstorey_database_up{server="control"} 1\n')
    expect(before).toContain('\nstorey_sandboxes{status="ready"} 0\n')
    network.freeze()
    for (const text of [await metrics(), await metrics()]) {
      expect(text).toContain('\nstorey_database_up{server="control"} 0\n')
      expect(text).toContain('\nstorey_sandboxes{status="ready"} 0\n')
      expect(text).toMatch(/^storey_database_connections\{state="in_use"\} [1-9]/m)
      expect(text).toMatch(/^storey_data_disk_free_bytes \d{6,}$/m)
    }
    network.thaw()
    await expect
      .poll(metrics, { timeout: 20_000, interval: 500 })
      .toContain('\nstorey_database_up{server="control"} 1\n')
  })
})
