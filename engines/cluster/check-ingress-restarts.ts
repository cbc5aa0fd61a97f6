import assert from 'node:assert/strict'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import { createIngressLoad, type IngressLoadResult } from './ingress-load.ts'
import type { IngressSandbox, IngressWorld } from './ingress-world.ts'

const PODS = 2
const LIMIT_MS = 120_000

/** What requests and live connections through the ingress notice when control planes are stopped and nodes drained. */
export async function checkIngressRestarts(suite: Suite, world: IngressWorld, sandbox: IngressSandbox): Promise<void> {
  const { cluster, release } = world
  const load = await createIngressLoad(world, sandbox)
  suite.onEnd(() => load.close())
  async function rollout(): Promise<void> {
    await release.kubectl('rollout', 'status', 'deployment/storey', '--timeout=240s')
    // Pods that stop still serve for a while.
    await until('the former pods are gone', async () => (await release.pods()).length === PODS, LIMIT_MS)
  }
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const summary = async ({ requests, failed, failedForMs, notReady, slowestMs }: IngressLoadResult) => {
    const dropped =
      failed.length === 0
        ? 'none failed'
        : `${seconds(failedForMs)} from the first failure to the last: ${failed.join(', ')}`
    return `${requests} requests, ${dropped}, ${notReady} times not ready, the slowest after ${seconds(slowestMs)}; ${await load.untilSeen()}`
  }

  await suite.check(
    'a rolling restart of all control planes drops no request, and live connections resume',
    async () => {
      const result = await load.run(async () => {
        await release.kubectl('rollout', 'restart', 'deployment/storey')
        await rollout()
      })
      assert.deepEqual([result.failed, result.notReady], [[], 0])
      return await summary(result)
    },
  )
  await suite.check('a control plane is deleted: no request is dropped', async () => {
    const [pod] = await release.pods()
    const result = await load.run(async () => {
      await release.kubectl('delete', pod!, '--wait=true')
      await rollout()
    })
    assert.deepEqual([result.failed, result.notReady], [[], 0])
    return await summary(result)
  })
  await suite.check(
    'the process of a control plane is killed: requests to it fail until the cluster has noticed',
    async () => {
      const [pod] = await release.pods()
      const path = 'jsonpath={.spec.nodeName} {.status.containerStatuses[0].containerID}'
      const [node, container] = (await release.kubectl('get', pod!, '-o', path)).split(' ')
      const { machine } = cluster.nodes.find(({ name }) => name === node)!
      const result = await load.run(async () => {
        await machine.killContainer(container!.replace('containerd://', ''))
        await rollout()
      })
      return await summary(result)
    },
  )
  await suite.check(
    'a node is drained: requests wait for what it ran, or get 503 NOT_READY, and none is dropped',
    async () => {
      const [pod] = await release.pods()
      const node = await release.kubectl('get', pod!, '-o', 'jsonpath={.spec.nodeName}')
      const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=180s']
      const result = await load.run(() => cluster.kubectl(['drain', node, ...options], { limitMs: 200_000 }))
      await cluster.kubectl(['uncordon', node])
      assert.deepEqual(result.failed, [])
      return await summary(result)
    },
  )
  load.close()
}
