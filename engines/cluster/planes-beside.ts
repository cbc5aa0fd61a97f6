import { startBalancer } from '../../acceptance/planes/balancer.ts'
import { actorsOf } from '../../acceptance/system/actors.ts'
import { freePort, type System, startSystem } from '../../acceptance/system/system.ts'
import type { PostgresServer } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import type { Cluster } from './cluster.ts'
import { settingsBeside } from './settings-beside.ts'

export interface PlanesOptions {
  cluster: Cluster
  database: PostgresServer
  installation: string
  count: number
  env?: Record<string, string>
  /** Ports of this machine that stacks use, in addition to that of the database. */
  ports?: readonly number[]
}

/** The 200 connections of the PostgreSQL of `deploy/`, without the three that it reserves for superusers. */
const CONNECTIONS = 197
/** The connections that each further control plane needs (docs/operations.md). */
const FURTHER_PLANE = 28

/** Several control planes beside the cluster, behind a load balancer. Clients of this machine and pods both reach it. */
export async function startPlanesBeside(suite: Suite, options: PlanesOptions) {
  const { cluster, database, installation, count, env = {}, ports: furtherPorts = [] } = options
  const { host } = cluster.addresses
  const publicPort = await freePort()
  const settings = {
    ...(await settingsBeside(cluster, database, installation, [publicPort, ...furtherPorts])),
    MASTER_SECRET: 'p'.repeat(40),
    // Pods read the keys of the realm at this address.
    PUBLIC_URL: `http://${host}:${publicPort}`,
    BASE_DOMAIN: 'localhost',
    HEALTH_CHECK_RANGES: '127.0.0.1',
    DATABASE_CONNECTIONS: `${CONNECTIONS - FURTHER_PLANE * (count - 1)}`,
    ...env,
  }
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  for (const address of ['127.0.0.1', host]) {
    const balancer = await startBalancer(publicPort, ports, address)
    suite.onEnd(() => balancer.close())
  }
  const start = (index: number) => startSystem({ port: ports[index]!, env: settings })
  const planes: System[] = []
  const remove = () => Promise.all(planes.map((plane) => plane.remove()))
  suite.onEnd(remove)
  for (let index = 0; index < count; index++) planes.push(await start(index))
  const url = settings.PUBLIC_URL
  return {
    url,
    planes,
    ...actorsOf({ url, env: planes[0]!.env }),
    /** Kills a control plane, and starts it again. */
    async replace(index: number): Promise<void> {
      await planes[index]!.kill9()
      await planes[index]!.remove()
      planes[index] = await start(index)
    },
    remove,
    output: () => planes.map((plane) => plane.output()).join(''),
  }
}
