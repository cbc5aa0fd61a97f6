import { readRuns } from '@storey/kit/background'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createApiClient } from './api-client.ts'
import { openApiConnection } from './api-connection.ts'
import { COMPONENT_LABEL, SANDBOX_LABEL, STACK } from './labels.ts'
import { SmallCluster } from './testing/small-cluster.ts'
import { createPodWatch, type PodWatch } from './watch-pods.ts'

const ID = 'sbx_a'
const PODS = '/api/v1/namespaces/storey/pods'

describe('the watch of pods', () => {
  const cluster = new SmallCluster()
  let lines: string[]
  let watch: PodWatch
  beforeEach(async () => {
    lines = []
    await cluster.start()
  })
  afterEach(async () => {
    watch.close()
    await cluster.stop()
    cluster.isDown = false
  })

  async function start(retry: { firstMs: number; maxMs: number }): Promise<void> {
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
    const api = createApiClient(openApiConnection({ url: cluster.url }), 0)
    watch = createPodWatch({ api, path: PODS, labelSelector: SANDBOX_LABEL, log, retry })
    const { watches } = cluster
    await watch.start()
    await expect.poll(() => cluster.watches).toBe(watches + 1)
  }

  function putPod(name: string): void {
    const labels = { [SANDBOX_LABEL]: ID, [COMPONENT_LABEL]: STACK }
    cluster.put(`${PODS}/${name}`, { kind: 'Pod', metadata: { name, labels }, status: {} })
  }
  const names = () => watch.of(ID, STACK).map(({ metadata }) => metadata.name)
  const runs = () => readRuns()['pod-watch'] ?? { succeeded: 0, failed: 0 }

  it('continues when it breaks after an event, which is no failure', async () => {
    await start({ firstMs: 5, maxMs: 20 })
    const { succeeded, failed } = runs()
    putPod('a')
    await expect.poll(names).toEqual(['a'])
    cluster.breakWatches()
    await expect.poll(() => runs().succeeded).toBe(succeeded + 1)
    putPod('b')
    await expect.poll(names).toEqual(['a', 'b'])
    expect(runs().failed).toBe(failed)
    expect(lines).toEqual([])
  })

  it('counts each failure, and logs an outage at its start and its end', async () => {
    await start({ firstMs: 5, maxMs: 20 })
    const { failed } = runs()
    cluster.isDown = true
    cluster.breakWatches()
    await expect.poll(() => runs().failed - failed).toBeGreaterThan(3)
    expect(lines).toEqual(['background work failed, retrying'])
    cluster.isDown = false
    putPod('c')
    await expect.poll(names).toContain('c')
    expect(cluster.requests.at(-1)!.query.get('timeoutSeconds')).toBe('5')
    cluster.breakWatches()
    await expect.poll(() => lines).toEqual(['background work failed, retrying', 'background work recovered'])
    await expect.poll(() => cluster.requests.at(-1)!.query.get('timeoutSeconds')).toBe('240')
  })

  it('does not wait for the end of a pause when somebody waits for a pod', async () => {
    await start({ firstMs: 600_000, maxMs: 600_000 })
    const { failed } = runs()
    cluster.isDown = true
    cluster.breakWatches()
    await expect.poll(() => runs().failed - failed).toBe(1)
    cluster.isDown = false
    putPod('d')
    const found = () => names().find((name) => name === 'd')
    expect(await watch.until(ID, found, { limitMs: 20_000 })).toBe('d')
  })
})
