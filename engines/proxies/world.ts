import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { actorsOf, type Developer } from '../../acceptance/system/actors.ts'
import { call } from '../../acceptance/system/call.ts'
import { freePort, type System, startSystem } from '../../acceptance/system/system.ts'
import { createAuthority } from '../certificates.ts'
import type { Suite } from '../suite.ts'
import { http1, http2 } from './clients.ts'
import { BASE_DOMAIN, type Ports, type ReverseProxy, type RunningProxy } from './proxy.ts'

export interface Sandbox {
  /** The name and port in `Host`. */
  host: string
  /** The path of the building. */
  path: string
  /** The building at Storey itself, without the proxy. */
  directUrl: string
  buildingId: string
  token: string
  points: string[]
  mqtt: { url: string; username: string; password: string; topic: string }
}

/** Storey behind a proxy, with two sandboxes. */
export interface World {
  proxy: ReverseProxy
  running: RunningProxy
  system: System
  ports: Ports
  ca: string
  caFile: string
  publicHost: string
  developer: Developer
  actors: ReturnType<typeof actorsOf>
  sandboxes: [Sandbox, Sandbox]
  restartProxy(): Promise<void>
  restartStorey(whileAway: () => Promise<void>): Promise<void>
  http1(localAddress?: string): ReturnType<typeof http1>
  http2(localAddress?: string): ReturnType<typeof http2>
}

export async function startWorld(suite: Suite, proxy: ReverseProxy): Promise<World> {
  const folder = temporaryFolder(`storey-${proxy.name.toLowerCase()}`)
  const authority = createAuthority(folder)
  const { certificate, key } = authority.issue('storey', ['localhost', `*.${BASE_DOMAIN}`])
  const combined = join(folder, 'storey-with-key.pem')
  writeFileSync(combined, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  const ports: Ports = {
    https: await freePort(),
    http: await freePort(),
    mqtts: await freePort(),
    admin: await freePort(),
    storey: await freePort(),
    mqtt: await freePort(),
  }
  const startProxy = () => proxy.start(ports, { folder, certificate, key, combined })
  const running = await startProxy()
  suite.engine(proxy.name, proxy.version)
  const publicHost = `localhost:${ports.https}`
  const env = {
    MODE: 'production',
    MASTER_SECRET: 'a master secret for a suite of engines',
    PUBLIC_URL: `https://${publicHost}`,
    BASE_DOMAIN,
    TRUSTED_PROXIES: '127.0.0.1',
    NODE_EXTRA_CA_CERTS: authority.certificate,
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    MQTT_ENABLED: 'true',
    MQTT_PORT: `${ports.mqtt}`,
    MQTT_PUBLIC_URL: `mqtts://localhost:${ports.mqtts}`,
  }
  const system = await startSystem({ port: ports.storey, env })
  const ca = readFileSync(authority.certificate, 'utf8')
  const clientOptions = (localAddress?: string) => ({
    port: ports.https,
    ca,
    ...(localAddress ? { localAddress } : {}),
  })
  const actors = actorsOf(system)
  const developer = await actors.newDeveloper('full')
  const newSandbox = async () => sandboxOf((await actors.newSandbox(developer.key)).connection, ports)
  const world: World = {
    proxy,
    running,
    system,
    ports,
    ca,
    caFile: authority.certificate,
    publicHost,
    developer,
    actors,
    sandboxes: [await newSandbox(), await newSandbox()],
    async restartProxy() {
      await world.running.stop()
      world.running = await startProxy()
    },
    async restartStorey(whileAway) {
      await world.system.stop()
      await whileAway()
      world.system = await startSystem({ port: ports.storey, env, dataDir: system.dataDir })
    },
    http1: (localAddress) => http1(clientOptions(localAddress)),
    http2: (localAddress) => http2(clientOptions(localAddress)),
  }
  suite.onEnd(() => world.system.remove())
  suite.onEnd(() => world.running.stop())
  return world
}

type Connection = Awaited<ReturnType<ReturnType<typeof actorsOf>['newSandbox']>>['connection']

async function sandboxOf({ apiUrl, token, buildingId, mqtt }: Connection, ports: Ports): Promise<Sandbox> {
  const { host, hostname } = new URL(apiUrl)
  const path = `/api/v1/buildings/${buildingId}`
  const directUrl = `http://${hostname}:${ports.storey}${path}`
  const { json } = await call(`${directUrl}/points?limit=4`, { token })
  const points = (json.data as { id: string }[]).map(({ id }) => id)
  return { host, path, directUrl, buildingId, token, points, mqtt }
}
