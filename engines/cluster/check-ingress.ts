import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import { createChartRelease, HELM_VERSION, type Values } from './chart-release.ts'
import { checkIngressAddresses } from './check-ingress-addresses.ts'
import { checkIngressBodies } from './check-ingress-bodies.ts'
import { checkIngressRestarts } from './check-ingress-restarts.ts'
import { checkIngressUse } from './check-ingress-use.ts'
import type { Cluster } from './cluster.ts'
import {
  CONTROLLER_PORT,
  GATEWAY,
  GATEWAY_API,
  INGRESS_CLASS,
  INGRESS_NAMESPACE,
  startIngressController,
  TLS_SECRET,
} from './ingress-controller.ts'
import { createIngressLoad } from './ingress-load.ts'
import { BASE_DOMAIN, PUBLIC_HOST } from './ingress-names.ts'
import { createIngressSandbox, createIngressWorld, type IngressSandbox } from './ingress-world.ts'
import { objectsWithLabel } from './leftovers.ts'
import { readPoints, SANDBOX_LABEL } from './sandbox.ts'
import { podsOf, REMAINS } from './settings-beside.ts'

const NAMESPACE = 'storey-public'
const DATABASE = 'public_control'
const LIMIT_MS = 240_000
const ROUTE_PAUSE_MS = 5_000

/**
 * The chart behind an ingress controller that runs in the cluster. All requests go over https through the controller,
 * which routes them first by an Ingress, then by the Gateway API. Storey gets the client's address from the controller.
 */
export async function checkIngress(suite: Suite, cluster: Cluster, database: PostgresServer): Promise<void> {
  const { addresses } = cluster
  const controller = await startIngressController(cluster)
  suite.engine('Traefik', controller.version)
  suite.engine('Gateway API', GATEWAY_API.version.slice(1))
  suite.engine('helm', HELM_VERSION)
  const release = await createChartRelease(cluster, database, NAMESPACE, DATABASE, [controller.ca])
  await cluster.apply(controller.tlsSecret(NAMESPACE))
  const values: Values = {
    ...release.values,
    publicUrl: `https://${PUBLIC_HOST}`,
    baseDomain: BASE_DOMAIN,
    sandboxes: {
      namespace: `${NAMESPACE}-sandboxes`,
      // Stacks fetch the keys of the realm through the ingress, whose pods are in the cluster.
      egress: [`${addresses.host}/32:${database.port}`, `${addresses.pods}:${CONTROLLER_PORT}`],
    },
    networkPolicy: {
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': INGRESS_NAMESPACE } } }],
    },
    settings: {
      ...{ TRUSTED_PROXIES: addresses.pods, RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' },
      ...{ STACK_IDLE_MINUTES: '1', EXPIRY_GRACE_HOURS: '0' },
    },
  }
  const byIngress = { ingress: { enabled: true, className: INGRESS_CLASS, tlsSecret: TLS_SECRET } }
  const byGateway = { gateway: { enabled: true, ...GATEWAY } }
  await suite.check('helm installs the chart with an Ingress for the public host and a wildcard host', async () => {
    await release.install({ ...values, ...byIngress })
    const path = 'jsonpath={.spec.rules[*].host}'
    assert.equal(await release.kubectl('get', 'ingress', 'storey', '-o', path), `${PUBLIC_HOST} *.${BASE_DOMAIN}`)
  })
  const before = await database.ask(REMAINS)
  const world = await createIngressWorld(cluster, release, controller)
  suite.onEnd(() => world.agent.destroy())
  const { actors, developer } = world
  const api = (path: string, options = {}) => actors.api(developer.key, path, options)
  /**
   * Whether every node serves Storey: by the HTTPRoute, which sets `Strict-Transport-Security` to `hsts`, or, if `hsts`
   * is undefined, by the Ingress.
   */
  async function isServed(hsts?: string): Promise<boolean> {
    const answers = cluster.nodes.map(async ({ machine }) => {
      const client = world.http2({ node: machine.index })
      const answer = await client.send(PUBLIC_HOST, '/healthz').catch(() => undefined)
      client.close()
      return answer?.status === 200 && answer.headers['strict-transport-security'] === hsts
    })
    return (await Promise.all(answers)).every((is) => is)
  }
  /** Adds the log of the control planes to the error of a failed check, because it explains most failures. */
  const check: Suite['check'] = (what, run) =>
    suite.check(what, () =>
      run().catch(async (err: Error) => {
        const log = await release.kubectl('logs', 'deployment/storey', '--all-pods', '--tail=15').catch(String)
        throw new Error(`${err.message}\n${log}`)
      }),
    )
  const part = { ...suite, check }

  await check('the ingress of every node serves Storey, over TLS', async () => {
    await until('every node serves Storey', () => isServed(), LIMIT_MS)
  })
  await check("the operator's doctor finds no problem: names, certificate, proxy, database", async () => {
    const [pod] = await release.pods()
    // If the doctor has warnings, its exit code is 1.
    const script = '/app/deploy/image/entrypoint.sh operator doctor --json || true'
    const { findings } = JSON.parse(await release.kubectl('exec', pod!, '--', '/bin/sh', '-c', script)) as {
      findings: { level: string; text: string }[]
    }
    const textsOf = (level: string) => findings.filter((one) => one.level === level).map(({ text }) => text)
    assert.deepEqual(textsOf('problem'), [])
    return `${textsOf('ok').length} findings are ok; warnings: ${textsOf('warning').join('; ')}`
  })
  const created: { sandbox?: IngressSandbox } = {}
  await check('a sandbox is created', async () => {
    const from = performance.now()
    created.sandbox = await createIngressSandbox(world)
    return `ready after ${((performance.now() - from) / 1000).toFixed(1)} s`
  })
  if (created.sandbox === undefined) return
  const { sandbox } = created
  const { id, connection } = sandbox
  const path = `/api/v1/sandboxes/${id}`
  const checkIdle = await checkIngressUse(part, world, sandbox)
  await checkIngressBodies(part, world, sandbox)
  await checkIngressAddresses(part, world)
  await checkIdle()
  await check('without requests the sandbox sleeps, and a request through the ingress wakes it', async () => {
    const areGone = async () => (await podsOf(cluster, id, '.metadata.name')).length === 0
    await until('no pod is left', areGone, LIMIT_MS)
    const from = performance.now()
    const { status, text } = await readPoints(connection, world.agent)
    assert.equal(status, 200, text)
    return `answered after ${((performance.now() - from) / 1000).toFixed(1)} s`
  })
  await check('the sandbox is reset', async () => {
    assert.equal((await api(`${path}/reset`, { method: 'POST', body: {} })).status, 202)
    await until('it is ready again', async () => (await api(path)).json.status === 'ready', LIMIT_MS)
    assert.equal((await readPoints(connection, world.agent)).status, 200)
    Object.assign(sandbox, await pointOf(sandbox))
  })
  await checkIngressRestarts(part, world, sandbox)
  await check('helm replaces the Ingress by an HTTPRoute of the Gateway API, and no request is dropped', async () => {
    const load = await createIngressLoad(world, sandbox)
    try {
      const { requests, failed } = await load.run(async () => {
        await release.upgrade({ ...values, ...byIngress, ...byGateway })
        const path = 'jsonpath={.status.parents[0].conditions[?(@.type=="Accepted")].status}'
        const isAccepted = async () => (await release.kubectl('get', 'httproute', 'storey', '-o', path)) === 'True'
        await until('the gateway accepts the route', isAccepted, LIMIT_MS)
        // Traefik uses a route some seconds after it has accepted the route.
        await sleep(ROUTE_PAUSE_MS)
        await release.upgrade({ ...values, ...byGateway })
        await until('the gateway serves the route', () => isServed('max-age=86400'), LIMIT_MS)
      })
      assert.deepEqual(failed, [])
      assert.equal((await release.kubectl('get', 'ingress', '-o', 'name')).trim(), '')
      return `${requests} requests; ${await load.untilSeen()}`
    } finally {
      load.close()
    }
  })
  const checkIdleAtGateway = await checkIngressUse(part, world, sandbox)
  await checkIngressBodies(part, world, sandbox)
  await checkIngressAddresses(part, world)
  await checkIdleAtGateway()
  await check('an expired sandbox is not found, and its removal leaves nothing in cluster and database', async () => {
    await database.ask(`update sandboxes set expires_at = now() where id = '${id}'`, DATABASE)
    await until('it is not found', async () => (await api(path)).status === 404, LIMIT_MS)
    // The service itself removes expired sandboxes only after its clock has agreed with the database's for ten minutes.
    await release.operator('sandbox', 'delete', id, '--yes')
    await untilGone(id)
  })
  await check('a deleted sandbox leaves nothing in cluster and database', async () => {
    const other = await createIngressSandbox(world)
    assert.ok((await api(`/api/v1/sandboxes/${other.id}`, { method: 'DELETE' })).status < 300)
    await untilGone(other.id)
    const { status } = await readPoints(other.connection, world.agent)
    assert.equal(status, 404)
  })
  await suite.check('helm removes the installation', () => release.uninstall())

  async function pointOf({ connection, path }: IngressSandbox): Promise<Pick<IngressSandbox, 'pointId'>> {
    const url = `${connection.apiUrl}${path}/points?limit=1`
    return { pointId: (await world.call(url, { token: connection.token })).json.data[0].id }
  }
  async function untilGone(sandboxId: string): Promise<void> {
    await until('no object is left in the cluster', async () => {
      return (await objectsWithLabel(cluster, `${SANDBOX_LABEL}=${sandboxId}`)).length === 0
    })
    await until('no database and no role is left', async () => {
      await sleep(200)
      return JSON.stringify(await database.ask(REMAINS)) === JSON.stringify(before)
    })
  }
}
