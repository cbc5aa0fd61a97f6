import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actorsOf } from '../../acceptance/system/actors.ts'
import { call } from '../../acceptance/system/call.ts'
import { freePort, startSystem } from '../../acceptance/system/system.ts'
import { createAuthority } from '../certificates.ts'
import { debianProgram } from '../fetch/debian.ts'
import { startCluster } from '../nats/cluster.ts'
import { createPostgres } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import { mountSmallDisk } from './small-disk.ts'
import { startTlsFront } from './tls-front.ts'

const POSTGRES = '18.4.0-beta.17'
const CERTIFICATE_DAYS = 10

/** A receiver of webhooks that can fail. */
async function startReceiver() {
  const state = { isFailing: false, received: 0 }
  const server = createServer((request, response) => {
    request.resume()
    state.received++
    response.writeHead(state.isFailing ? 500 : 200).end()
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { state, url: `http://127.0.0.1:${port}/hook`, close: () => server.close() }
}

/** Storey with a PostgreSQL, a NATS cluster, MQTT, a disk of its own and a proxy whose certificate expires soon. */
export async function startWorld(suite: Suite) {
  const folder = mkdtempSync(join(tmpdir(), 'storey-monitored-'))
  suite.onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const postgres = await createPostgres(POSTGRES)
  suite.onEnd(() => postgres.remove())
  await postgres.start()
  await postgres.ask("create role storey login createdb createrole password 'storey'")
  await postgres.ask("create database storey owner storey encoding 'UTF8'")
  const nats = await startCluster(debianProgram('nats-server'))
  suite.onEnd(() => nats.remove())
  const disk = mountSmallDisk()
  if (disk) suite.onEnd(() => disk.remove())
  const receiver = await startReceiver()
  suite.onEnd(() => receiver.close())
  const [port, metricsPort] = [await freePort(), await freePort()]
  const authority = createAuthority(folder)
  const front = await startTlsFront(
    authority.issue('front', ['localhost', '*.localhost', '127.0.0.1'], CERTIFICATE_DAYS),
    port,
  )
  suite.onEnd(() => front.close())
  const authorities = join(folder, 'authorities.pem')
  const trusted = [postgres.authority.certificate, nats.authority, authority.certificate]
  writeFileSync(authorities, trusted.map((file) => readFileSync(file, 'utf8')).join('\n'))

  const system = await startSystem({
    port,
    ...(disk ? { dataDir: join(disk.folder, 'data') } : {}),
    env: {
      PUBLIC_URL: `https://localhost:${front.port}`,
      DATABASE_URL: `postgres://storey:storey@localhost:${postgres.port}/storey?sslmode=verify-full`,
      NODE_EXTRA_CA_CERTS: authorities,
      NATS_URL: nats.url(),
      MQTT_ENABLED: 'true',
      MQTT_PORT: `${await freePort()}`,
      METRICS_PORT: `${metricsPort}`,
      ACCESS_LOG: join(folder, 'access.log'),
      STACK_IDLE_MINUTES: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'info',
    },
  })
  suite.onEnd(() => system.remove())
  const { operator, newSandbox } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')

  /** A sandbox whose stack is awake. Requests go to the port of the service, not through the proxy. */
  async function openSandbox(name: string) {
    const { record, connection } = await newSandbox(key, { name })
    const apiUrl = `http://${new URL(connection.apiUrl).hostname}:${port}`
    const { token, buildingId, mqtt } = connection
    const building = `${apiUrl}/api/v1/buildings/${buildingId}`
    const { json } = await call(`${building}/points?limit=1`, { token })
    const pointId: string = json.data[0].id
    return {
      sandboxId: record.sandboxId as string,
      mqtt: mqtt as { url: string; username: string; password: string; topic: string },
      observation: (value: string) => ({ observations: [{ pointId, value }] }),
      ingest: (value: string) =>
        call(`${building}/telemetry/observations`, { token, body: { observations: [{ pointId, value }] } }),
      subscribe: (url: string) =>
        call(`${apiUrl}/api/v1/webhooks`, { token, body: { url, events: ['building.point.updated'] } }),
    }
  }
  return {
    ...{ postgres, nats, disk, receiver, system, metricsPort },
    first: await openSandbox('First'),
    second: await openSandbox('Second'),
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
