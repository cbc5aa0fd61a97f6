import { Agent } from 'node:https'
import { actorsOf, type Developer } from '../../acceptance/system/actors.ts'
import { type CallOptions, call } from '../../acceptance/system/call.ts'
import { type Client, http1, http2 } from '../proxies/clients.ts'
import type { ChartRelease } from './chart-release.ts'
import type { Cluster } from './cluster.ts'
import type { IngressController } from './ingress-controller.ts'
import { PUBLIC_HOST } from './ingress-names.ts'
import { createLiveClient, type LiveClient, type LiveOptions } from './live-client.ts'
import type { Connection } from './sandbox.ts'

/** An installation of the chart as its clients see it: over https, through the ingress controller. */
export interface IngressWorld {
  cluster: Cluster
  release: ChartRelease
  url: string
  actors: ReturnType<typeof actorsOf>
  developer: Developer
  call(url: string, options?: CallOptions): ReturnType<typeof call>
  /** Clients, each with its own connection to a node (default: 1) from an address of this machine (`localAddress`). */
  http1(options?: { localAddress?: string; node?: number }): Client
  http2(options?: { localAddress?: string; node?: number }): Client
  live(options: Omit<LiveOptions, 'agent'>): LiveClient
  agent: Agent
}

export async function createIngressWorld(
  cluster: Cluster,
  release: ChartRelease,
  controller: IngressController,
): Promise<IngressWorld> {
  const { addresses } = cluster
  const { ca } = controller
  const target = { address: addresses.node(1), family: 4 }
  const agent = new Agent({
    ...{ ca, keepAlive: true },
    lookup: (_name, { all }, found) => (all ? found(null, [target]) : found(null, target.address, target.family)),
  })
  const url = `https://${PUBLIC_HOST}`
  const actors = actorsOf({ url, env: {}, agent }, release.operator)
  const client = (open: typeof http1) => {
    return ({ node = 1, localAddress = addresses.host }: { localAddress?: string; node?: number } = {}) =>
      open({ port: 443, ca, address: addresses.node(node), servername: PUBLIC_HOST, localAddress })
  }
  return {
    ...{ cluster, release, url, actors, agent },
    developer: await actors.newDeveloper('full'),
    call: (to, options = {}) => call(to, { agent, ...options }),
    http1: client(http1),
    http2: client(http2),
    live: (options) => createLiveClient({ ...options, agent }),
  }
}

/** A sandbox as its clients see it. */
export interface IngressSandbox {
  id: string
  connection: Connection
  host: string
  /** The path of its building. */
  path: string
  pointId: string
}

/** Creates a sandbox, and reads one of its points. */
export async function createIngressSandbox({ actors, developer, call }: IngressWorld): Promise<IngressSandbox> {
  const { record, connection } = await actors.newSandbox(developer.key)
  const path = `/api/v1/buildings/${connection.buildingId}`
  const { json } = await call(`${connection.apiUrl}${path}/points?limit=1`, { token: connection.token })
  const { host } = new URL(connection.apiUrl)
  return { id: record.sandboxId, connection, host, path, pointId: json.data[0].id }
}
