import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../service.ts'
import { readSettings } from '../settings.ts'

/** A TCP proxy between the service and its database that can stop forwarding. */
async function startProxy(url: string) {
  const { port, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  let isFrozen = false
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => to.write(data))
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isFrozen) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    url: through.href,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

describe('/metrics during an outage of the database', () => {
  let database: TestDatabase
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let service: Service
  let metricsPort = 0
  /** Shorter than the time limit of any statement. */
  const LIMIT_MS = 8_000
  const metrics = async () => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(LIMIT_MS) })
    expect(answer.status).toBe(200)
    return await answer.text()
  }

  beforeAll(async () => {
    database = await testDatabase({ migrations: [] })
    proxy = await startProxy(database.url)
    metricsPort = await freePort()
    const environment = {
      PORT: `${await freePort()}`,
      METRICS_PORT: `${metricsPort}`,
      DATA_DIR: temporaryFolder('storey-metrics-outage'),
      DATABASE_URL: proxy.url,
      LOG_LEVEL: 'silent',
    }
    service = await startService(readSettings(environment), (err) => expect.unreachable(err.message))
  })
  afterAll(async () => {
    proxy.thaw()
    await service.close()
    proxy.close()
    await database.drop()
  })

  it('[HST-74] keeps the last known values, and reports that the database does not respond', async () => {
    const before = await metrics()
    expect(before).toContain('\nstorey_database_up 1\n')
    expect(before).toContain('\nstorey_sandboxes{status="ready"} 0\n')
    proxy.freeze()
    for (const text of [await metrics(), await metrics()]) {
      expect(text).toContain('\nstorey_database_up 0\n')
      expect(text).toContain('\nstorey_sandboxes{status="ready"} 0\n')
      expect(text).toMatch(/^storey_database_connections\{state="in_use"\} [1-9]/m)
      expect(text).toMatch(/^storey_data_disk_free_bytes \d{6,}$/m)
    }
    proxy.thaw()
    await expect.poll(metrics, { timeout: 20_000, interval: 500 }).toContain('\nstorey_database_up 1\n')
  })
})
