import { silentLog } from '@storey/kit/log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ScriptedControl } from '../../testing/scripted-control.ts'
import { createStackPool, type LocalStackPool } from '../stack-pool.ts'
import { RuntimeUnavailable } from '../stack-runtime.ts'
import type { createKubernetesRuntime } from './kubernetes-runtime.ts'
import { ID, NAMESPACE, runtimeOn, serveConfig } from './testing/runtime-on.ts'
import { SmallCluster } from './testing/small-cluster.ts'

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`

describe('a Kubernetes stack whose stop fails', () => {
  let cluster: SmallCluster
  let control: ScriptedControl
  let runtime: ReturnType<typeof createKubernetesRuntime>
  let pool: LocalStackPool
  beforeEach(async () => {
    cluster = new SmallCluster()
    control = new ScriptedControl()
    await Promise.all([cluster.start(), control.start()])
    control.state = [{ type: 'listening', port: 8080 }]
    cluster.onPod = (pod) => cluster.runPod(pod)
    runtime = runtimeOn(cluster, control, { retryLimitMs: 200, stopLimitMs: 200 })
    pool = createStackPool({
      ...{ idleMs: 0, log: silentLog, onStopped: () => undefined, keepDue: async () => undefined },
      stopRetry: { firstMs: 50, maxMs: 200 },
      start: (_, onDue) => runtime.start(serveConfig, onDue),
      ...{ stop: runtime.stop, send: runtime.send },
    })
    const { release } = await pool.use({ id: ID, organizationId: 'org_a' })
    release()
  })
  afterEach(async () => {
    await pool.close()
    runtime.close()
    await Promise.all([cluster.stop(), control.stop()])
  })
  const isStopped = async () => {
    await expect.poll(() => pool.isActive(ID), { timeout: 10_000 }).toBe(false)
    expect(cluster.all('pods')).toEqual([])
    expect(pool.capacity().map(({ used }) => used)).toEqual([0])
  }

  it('[STK-38] is scaled to zero when the API server answers again', async () => {
    cluster.isDown = true
    await expect(pool.stop(ID)).rejects.toThrow(RuntimeUnavailable)
    expect(cluster.all('pods')).toHaveLength(1)
    cluster.isDown = false
    await isStopped()
  })

  it('[STK-38] is stopped when its pods end after they could not be ended by force', async () => {
    cluster.onTerminating = () => undefined
    cluster.refuse = (method, path) =>
      method === 'DELETE' && path.startsWith(PODS) ? { status: 403, reason: 'Forbidden', message: 'no' } : undefined
    await expect(pool.stop(ID)).rejects.toThrow()
    expect(pool.isActive(ID)).toBe(true)
    cluster.delete(`${PODS}/${cluster.all('pods')[0].metadata.name}`)
    await isStopped()
  })

  it('[STK-39] is listed as running, also by a control plane that did not start it, until it is scaled to zero', async () => {
    const other = runtimeOn(cluster, control)
    expect(await runtime.listRunning()).toEqual([ID])
    expect(await other.listRunning()).toEqual([ID])
    const requests = cluster.requests.length
    expect(await other.listRunning()).toEqual([ID])
    expect(cluster.requests).toHaveLength(requests)
    await other.stop(ID)
    expect(await other.listRunning()).toEqual([])
    other.close()
  })
})
