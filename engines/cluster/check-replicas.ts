import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../../acceptance/system/call.ts'
import { natsServer } from '../../chaos/nats-server.ts'
import { goProgram } from '../fetch/go.ts'
import type { PostgresServer } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import type { Cluster } from './cluster.ts'
import { objectsWithLabel } from './leftovers.ts'
import { createLiveClient, type LiveClient } from './live-client.ts'
import { startPlanesBeside } from './planes-beside.ts'
import { SANDBOX_LABEL } from './sandbox.ts'
import { namespaceOf, podsOf } from './settings-beside.ts'

const NATS = { module: 'github.com/nats-io/nats-server/v2', version: 'v2.15.2' }
const INSTALLATION = 'replicas'
const REPLICAS = 3
const SOCKETS = 9
const POD_PORT = 8080
const LIMIT_MS = 120_000
const LOAD_MS = 12_000
const REVOKED_LIMIT_MS = 5_000
const LOG_LINES = 30

/**
 * Starts two control planes beside the cluster, and a sandbox with three pods. Checks that the pods share the live
 * connections, that requests succeed while pods and nodes fail, and that every pod refuses a revoked token.
 */
export async function checkReplicas(suite: Suite, cluster: Cluster, database: PostgresServer): Promise<void> {
  const path = goProgram(NATS.module, NATS.version, 'nats-server')
  suite.engine('nats-server', NATS.version.slice(1))
  const nats = await natsServer({ host: cluster.addresses.host, path })
  suite.onEnd(() => nats.remove())
  await nats.start()
  const system = await startPlanesBeside(suite, {
    ...{ cluster, database, installation: INSTALLATION, count: 2, ports: [nats.port] },
    env: { KUBERNETES_REPLICAS: `${REPLICAS}`, NATS_URL: nats.urlOf('stacks') },
  })
  const { api, newSandbox, operator } = system
  const check: Suite['check'] = (what, run) =>
    suite.check(what, () =>
      run().catch((err: Error) => {
        throw new Error(`${err.message}\n${system.output().trimEnd().split('\n').slice(-LOG_LINES).join('\n')}`)
      }),
    )
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const { record, connection } = await newSandbox(key)
  const id: string = record.sandboxId
  const { apiUrl, buildingId, token } = connection
  const base = `${apiUrl}/api/v1/buildings/${buildingId}`
  const points = await call(`${base}/points?limit=1`, { token })
  assert.equal(points.status, 200, points.text)
  const pointId: string = points.json.data[0].id
  const addressesOf = () => podsOf(cluster, id, '.status.podIP')
  const inNamespace = (...args: string[]) => cluster.kubectl(['-n', namespaceOf(INSTALLATION), ...args])
  const untilReady = () =>
    until(
      'all pods are ready',
      async () => {
        const path = '.status.conditions[?(@.type=="Ready")].status'
        const ready = (await podsOf(cluster, id, path)).filter((status) => status === 'True')
        return ready.length === REPLICAS && (await podsOf(cluster, id, '.metadata.deletionTimestamp')).length === 0
      },
      LIMIT_MS,
    )

  /** The pod with the most connections of control planes. */
  async function busiestPod() {
    const fields = '.metadata.name} {.status.podIP} {.spec.nodeName} {.status.containerStatuses[0].containerID'
    const pods = (await podsOf(cluster, id, fields)).map((line) => line.split(' '))
    const open = connectionsTo(pods.map(([, address]) => address!))
    const [name, , node, container] = pods[open.indexOf(Math.max(...open))]!
    return { name: name!, node: node!, container: container!.replace('containerd://', '') }
  }

  const values = new Set<string>()
  /** The value that is being stored. The state that a client reads may contain it already. */
  let sending: string | undefined
  const clients: LiveClient[] = []
  suite.onEnd(() => {
    for (const client of clients) client.close()
  })
  const untilSeen = () =>
    until(
      'every client has seen every value',
      () =>
        clients.every(
          ({ seen, isJoined }) => isJoined() && values.size > 0 && [...values].every((one) => seen.has(one)),
        ),
      LIMIT_MS,
    )

  /**
   * Reads and writes before, during and after `meanwhile`. Counts requests, failed reads, and writes that were sent
   * again.
   */
  async function load(
    meanwhile: () => Promise<unknown>,
  ): Promise<{ requests: number; failed: number; refused: number }> {
    const sum = { requests: 0, failed: 0, refused: 0 }
    let isOver = false
    const read = async () => {
      while (!isOver) {
        const answer = await call(`${base}/points?limit=1`, { token }).catch(() => undefined)
        sum.requests++
        if (answer?.status !== 200) sum.failed++
        await sleep(20)
      }
    }
    const write = async () => {
      while (!isOver) {
        const value = `${values.size + 1}`
        sending = value
        for (;;) {
          const body = { observations: [{ pointId, value }] }
          const answer = await call(`${base}/telemetry/observations`, { token, body }).catch(() => undefined)
          sum.requests++
          if (answer?.status === 202) break
          sum.refused++
          await sleep(50)
        }
        values.add(value)
        await sleep(50)
      }
    }
    const working = [read(), read(), write()]
    await sleep(LOAD_MS / 4)
    await meanwhile()
    await sleep((LOAD_MS * 3) / 4)
    isOver = true
    await Promise.all(working)
    return sum
  }

  await check(`a sandbox with ${REPLICAS} pods: they are on both nodes, and a budget limits disruptions`, async () => {
    const waited = await untilReady()
    const nodes = new Set(await podsOf(cluster, id, '.spec.nodeName'))
    assert.equal(nodes.size, 2)
    const budget = await inNamespace('get', 'pdb', '-o', 'jsonpath={.items[*].status.expectedPods}')
    assert.equal(budget, `${REPLICAS}`)
    return `all ready ${waited.toFixed(1)} s after the first answered`
  })
  await check('live connections are distributed over all pods, through both control planes', async () => {
    for (let i = 0; i < SOCKETS; i++)
      clients.push(
        createLiveClient({
          ...{ apiUrl, buildingId, token, transport: i % 3 === 0 ? 'polling' : 'websocket' },
          stored: () => (sending === undefined ? values : [...values, sending]),
        }),
      )
    await until('all clients are connected', () => clients.every(({ isJoined }) => isJoined()), LIMIT_MS)
    const open = connectionsTo(await addressesOf())
    assert.ok(Math.min(...open) > 0, `connections: ${open.join(', ')}`)
    return `${open.join(', ')} connections`
  })
  await check('a value that is stored by one pod is seen by the clients of all pods', async () => {
    await load(async () => undefined)
    await untilSeen()
    return `${values.size} values, ${SOCKETS} clients`
  })
  await check('a pod is deleted: no request fails, and its live connections continue at other pods', async () => {
    const pod = await busiestPod()
    const { requests, failed, refused } = await load(() => inNamespace('delete', 'pod', pod.name, '--wait=false'))
    await untilSeen()
    await untilReady()
    assert.equal(failed + refused, 0, `${failed} reads and ${refused} writes of ${requests} requests failed`)
    return `${requests} requests; ${countsOf(clients)}`
  })
  await check('the process of a pod is killed: every read is answered, and its live connections continue', async () => {
    const { node, container } = await busiestPod()
    const { machine } = cluster.nodes.find(({ name }) => name === node)!
    const { requests, failed, refused } = await load(() => machine.killContainer(container))
    await untilSeen()
    await untilReady()
    assert.equal(failed, 0, `${failed} reads of ${requests} requests failed`)
    return `${requests} requests, ${refused} writes repeated; ${countsOf(clients)}`
  })
  await check('both nodes are drained one after another, and no read fails', async () => {
    const sum = { requests: 0, failed: 0 }
    for (const { name } of cluster.nodes) {
      const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=120s']
      const { requests, failed } = await load(() => cluster.kubectl(['drain', name, ...options]))
      sum.requests += requests
      sum.failed += failed
      await cluster.kubectl(['uncordon', name])
      await untilReady()
    }
    await untilSeen()
    assert.equal(sum.failed, 0, `${sum.failed} reads of ${sum.requests} requests failed`)
    return `${sum.requests} requests`
  })
  await check('the token of a removed account is refused by every pod', async () => {
    const path = `/api/v1/sandboxes/${id}/service-accounts`
    const { json: account } = await api(key, path, { body: { name: 'Reader', roles: ['user'] } })
    const revoked = await tokenOf(system.url, account)
    const statuses = async () =>
      await Promise.all(
        (await addressesOf()).map(
          async (address) => (await call(`http://${address}:${POD_PORT}/api/v1/buildings`, { token: revoked })).status,
        ),
      )
    assert.deepEqual(await statuses(), Array(REPLICAS).fill(200))
    assert.equal((await api(key, `${path}/${account.id}`, { method: 'DELETE' })).status, 204)
    const isRefused = async () => (await statuses()).every((status) => status === 401)
    const waited = await until('every pod refuses it', isRefused, REVOKED_LIMIT_MS)
    // A pod that starts later has the configuration from before the removal.
    const [pod] = await podsOf(cluster, id, '.metadata.name')
    await inNamespace('delete', 'pod', pod!, '--wait=true')
    await untilReady()
    await until('the new pod refuses it too', isRefused, REVOKED_LIMIT_MS)
    return `after ${waited.toFixed(2)} s`
  })
  await check('the sandbox is reset, and deleted with everything that it has in the cluster', async () => {
    for (const client of clients.splice(0)) client.close()
    const path = `/api/v1/sandboxes/${id}`
    assert.equal((await api(key, `${path}/reset`, { method: 'POST', body: {} })).status, 202)
    await until('it is ready again', async () => (await api(key, path)).json.status === 'ready', LIMIT_MS)
    await until('it answers', async () => (await call(`${base}/points?limit=1`, { token })).status !== 503, LIMIT_MS)
    await untilReady()
    assert.ok((await api(key, path, { method: 'DELETE' })).status < 300)
    await until('no object is left in the cluster', async () => {
      return (await objectsWithLabel(cluster, `${SANDBOX_LABEL}=${id}`)).length === 0
    })
  })
  await system.remove()
}

const countsOf = (clients: readonly LiveClient[]): string => {
  const sum = (name: keyof LiveClient['counts']) => clients.reduce((all, { counts }) => all + counts[name], 0)
  return `${sum('connects')} connects, ${sum('resumed')} resumed, ${sum('snapshots')} read the state`
}

/** The connections of this machine to each address, at the port of stacks. */
function connectionsTo(addresses: readonly string[]): number[] {
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  const remotes = lines
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, , remote, state]) => (state === '01' ? [remote] : []))
  return addresses.map((address) => {
    const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
    const wanted = `${bytes.toReversed().join('')}:${POD_PORT.toString(16).padStart(4, '0')}`.toUpperCase()
    return remotes.filter((remote) => remote === wanted).length
  })
}

async function tokenOf(url: string, { clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  const { json } = await call(`${url}/realms/sandboxes/.well-known/openid-configuration`)
  const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)
  const answer = await call(json.token_endpoint, {
    headers: {
      authorization: `Basic ${credentials.toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.access_token as string
}
