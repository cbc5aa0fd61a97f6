import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf, SMALL } from '../../acceptance/system/actors.ts'
import { call } from '../../acceptance/system/call.ts'
import { startSystem } from '../../acceptance/system/system.ts'
import type { PostgresServer } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import type { Cluster } from './cluster.ts'
import { objectsWithLabel } from './leftovers.ts'
import { readPoints, SANDBOX_LABEL } from './sandbox.ts'
import { namespaceOf, podsOf, REMAINS, settingsBeside } from './settings-beside.ts'

const NAMESPACE = namespaceOf('beside')
const LIMIT_MS = 180_000
const LOG_LINES = 30
const AWAY_MS = 60_000

/**
 * A control plane beside the cluster, whose stacks are pods: the lifecycle of a sandbox, and what happens when pods, nodes
 * or the API server fail.
 */
export async function checkRuntime(suite: Suite, cluster: Cluster, database: PostgresServer): Promise<void> {
  const { controlPlane } = cluster
  const settings = await settingsBeside(cluster, database, 'beside')
  const system = await startSystem({ env: { ...settings, STACK_IDLE_MINUTES: '1', EXPIRY_GRACE_HOURS: '0' } })
  suite.onEnd(() => system.remove())
  const { operator, api, newSandbox } = actorsOf(system)
  const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
  const before = await database.ask(REMAINS)
  const untilGone = async (sandboxId: string) => {
    await until('no object is left in the cluster', async () => {
      return (await objectsWithLabel(cluster, `${SANDBOX_LABEL}=${sandboxId}`)).length === 0
    })
  }
  const check: Suite['check'] = (what, run) =>
    suite.check(what, () =>
      run().catch((err: Error) => {
        throw new Error(`${err.message}\n${system.output().trimEnd().split('\n').slice(-LOG_LINES).join('\n')}`)
      }),
    )
  const seconds = (value: number) => `${value.toFixed(1)} s`

  const from = performance.now()
  const created: { sandbox?: Awaited<ReturnType<typeof newSandbox>> } = {}
  await check('a sandbox is created as a job and a deployment', async () => {
    created.sandbox = await newSandbox(key, { seedTelemetryDays: 2 })
    return `ready after ${seconds((performance.now() - from) / 1000)}`
  })
  if (created.sandbox === undefined) return
  const { record, connection } = created.sandbox
  const id: string = record.sandboxId
  const path = `/api/v1/sandboxes/${id}`
  const answers = async () => (await readPoints(connection).catch(() => ({ status: 0 }))).status === 200
  const untilAnswers = async () => {
    const waited = await until('it answers', () => answers().then((is) => is || sleep(50).then(() => false)), LIMIT_MS)
    return `answers after ${seconds(waited)}`
  }

  await check('the sandbox is used: points are read and an observation is stored', async () => {
    const base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    const points = await readPoints(connection)
    assert.equal(points.status, 200)
    const observations = [{ pointId: points.json.data[0].id, value: '21' }]
    const stored = await call(`${base}/telemetry/observations`, { token: connection.token, body: { observations } })
    assert.equal(stored.status, 202, stored.text)
  })
  await check('without requests the sandbox sleeps: it has no pod', async () => {
    await until('no pod is left', async () => (await podsOf(cluster, id, '.metadata.name')).length === 0, LIMIT_MS)
  })
  await check('a request wakes the sandbox', async () => {
    const from = performance.now()
    assert.equal((await readPoints(connection)).status, 200)
    return `answered after ${seconds((performance.now() - from) / 1000)}`
  })
  await check('the pod of the sandbox is deleted, and another one serves it', async () => {
    const [pod] = await podsOf(cluster, id, '.metadata.name')
    await cluster.kubectl(['-n', NAMESPACE, 'delete', 'pod', pod!, '--wait=true'])
    return await untilAnswers()
  })
  await check('the node of the pod is drained, and the sandbox is served on the other node', async () => {
    const [drained] = await podsOf(cluster, id, '.spec.nodeName')
    await cluster.kubectl([
      'drain',
      drained!,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--timeout=120s',
    ])
    const back = await untilAnswers()
    const nodes = await podsOf(cluster, id, '.spec.nodeName')
    assert.ok(!nodes.includes(drained!))
    await cluster.kubectl(['uncordon', drained!])
    return back
  })
  await check('the sandbox is reset', async () => {
    assert.equal((await api(key, `${path}/reset`, { method: 'POST', body: {} })).status, 202)
    await until('it is ready again', async () => (await api(key, path)).json.status === 'ready', LIMIT_MS)
    return await untilAnswers()
  })
  const meanwhile: { id?: string } = {}
  await check('a minute without the API server: every request is answered', async () => {
    await controlPlane.stopApiServer()
    const created = await api(key, '/api/v1/sandboxes', { body: { name: 'Meanwhile', ...SMALL } })
    meanwhile.id = created.json.sandboxId
    let [count, failed] = [0, 0]
    for (const end = performance.now() + AWAY_MS; performance.now() < end; await sleep(200)) {
      count++
      if (!(await answers())) failed++
    }
    await controlPlane.startApiServer()
    assert.equal(failed, 0, `${failed} of ${count} requests failed`)
    return `${count} requests`
  })
  await check('a sandbox that was created in that minute becomes ready', async () => {
    const other = `/api/v1/sandboxes/${meanwhile.id}`
    const status = async () => (await api(key, other)).json.status
    await until('it is provisioned', async () => (await status()) !== 'provisioning', LIMIT_MS)
    assert.equal(await status(), 'ready')
    assert.ok((await api(key, other, { method: 'DELETE' })).status < 300)
    await untilGone(meanwhile.id!)
  })
  await check(
    'the sandbox expires and has no pod, and its removal leaves nothing in cluster and database',
    async () => {
      await database.ask(`update sandboxes set expires_at = now() where id = '${id}'`, 'beside')
      await until('it is not found', async () => (await api(key, path)).status === 404, LIMIT_MS)
      await until('no pod is left', async () => (await podsOf(cluster, id, '.metadata.name')).length === 0, LIMIT_MS)
      // The service itself removes expired sandboxes only after its clock has agreed with the database's for ten minutes.
      await operator('sandbox', 'delete', id, '--yes')
      await untilGone(id)
      await until('no database and no role is left', async () => {
        return JSON.stringify(await database.ask(REMAINS)) === JSON.stringify(before)
      })
    },
  )
  await check('a deleted sandbox leaves no object of any kind', async () => {
    const { record, connection } = await newSandbox(key)
    assert.equal((await readPoints(connection)).status, 200)
    const objects = await objectsWithLabel(cluster, `${SANDBOX_LABEL}=${record.sandboxId}`)
    assert.ok(objects.length > 0)
    assert.ok((await api(key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })).status < 300)
    await untilGone(record.sandboxId)
    return `${objects.map((name) => name.split('/')[0]).join(', ')} removed`
  })
  await system.remove()
}
