import type { StackMessage } from '@storey/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KEY, ScriptedControl } from '../../testing/scripted-control.ts'
import {
  DatabaseUnavailable,
  RuntimeUnavailable,
  SchemaMismatch,
  SeedError,
  SeedKilled,
  StackEnded,
} from '../stack-runtime.ts'
import type { createKubernetesRuntime, KubernetesRuntimeOptions } from './kubernetes-runtime.ts'
import { ID, NAMESPACE, runtimeOn, seedConfig, serveConfig } from './testing/runtime-on.ts'
import { SmallCluster } from './testing/small-cluster.ts'

const BASE = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/sbx-abcdefgh12345678`
const RESULT = { siteId: 'site', buildingId: 'building', fingerprint: 'sha256:1', storageBytes: 5 }
const seeded = (result = RESULT) => JSON.stringify({ type: 'seeded', result } satisfies StackMessage)

describe('the Kubernetes runtime', () => {
  let cluster: SmallCluster
  let control: ScriptedControl
  const opened: ReturnType<typeof createKubernetesRuntime>[] = []
  beforeEach(async () => {
    cluster = new SmallCluster()
    control = new ScriptedControl()
    await Promise.all([cluster.start(), control.start()])
  })
  afterEach(async () => {
    for (const runtime of opened.splice(0)) runtime.close()
    await Promise.all([cluster.stop(), control.stop()])
  })

  function open(changes: Partial<KubernetesRuntimeOptions> = {}) {
    const runtime = runtimeOn(cluster, control, changes)
    opened.push(runtime)
    return runtime
  }
  const seed = (runtime = open(), report: (percent: number, step: string) => void = () => undefined) =>
    runtime.seed(seedConfig, report, new AbortController().signal)
  /** Makes each new pod of the cluster run and listen immediately. */
  function runsPods(): void {
    control.state = [{ type: 'listening', port: 8080 }]
    cluster.onPod = (pod) => cluster.runPod(pod)
  }
  const podOf = () => cluster.all('pods')[0]
  const configOf = (name: string) =>
    JSON.parse(
      Buffer.from(
        cluster.objects.get(`/api/v1/namespaces/${NAMESPACE}/secrets/${name}`).data.config,
        'base64',
      ).toString(),
    )

  it('[KUB-08] seeds in a job, reports the progress of the job, reads its result, and removes all objects of the job', async () => {
    cluster.onPod = (pod) => cluster.runPod(pod)
    control.state = [{ type: 'progress', percent: 40, step: 'Writing' }]
    const progress: number[] = []
    const result = seed(open(), (percent) => progress.push(percent))
    await expect.poll(() => progress).toEqual([40])
    expect(configOf('sbx-abcdefgh12345678-seed')).toMatchObject({
      ...{ sandboxId: ID, internalKey: KEY },
      control: { host: '0.0.0.0', port: control.port, lastMessageFile: '/dev/termination-log' },
    })
    cluster.endPod(podOf(), { exitCode: 0, message: seeded() })
    expect(await result).toEqual(RESULT)
    expect([cluster.all('jobs'), cluster.all('secrets'), cluster.all('pods')]).toEqual([[], [], []])
  })

  it.each<[string, object, object, unknown, RegExp]>([
    ['an exit code', { exitCode: 1 }, {}, SeedError, /^Seeding failed: the process exited with code 1$/],
    ['an unavailable database', { exitCode: 69 }, {}, DatabaseUnavailable, /unavailable/],
    ['a signal', { exitCode: 143 }, {}, SeedKilled, /143/],
    ['a lack of memory', { exitCode: 137, reason: 'OOMKilled' }, {}, SeedKilled, /OOMKilled/],
    ['an eviction', { exitCode: 137 }, { reason: 'Evicted', message: 'low on memory' }, SeedKilled, /low on memory/],
    ['a missing result', { exitCode: 0 }, {}, SeedError, /code 0/],
  ])('[KUB-09] explains why a seeding failed: %s', async (_why, terminated, status, type, text) => {
    cluster.onPod = (pod) => cluster.endPod(pod, terminated, status)
    const err = await seed().catch((err) => err)
    expect(err).toBeInstanceOf(type)
    expect(err.message).toMatch(text)
    expect(cluster.all('jobs')).toEqual([])
  })

  it.each([
    ['memory', { exitCode: 137, reason: 'OOMKilled' }, {}, 'the seeding needed more memory than its pod may use'],
    [
      'the node of the pod',
      { exitCode: 137 },
      { reason: 'Evicted' },
      'the cluster ended the seeding, because its node ran short of resources, was shut down, or was needed for another pod',
    ],
  ])('[KUB-09] tells the owner why a seeding was interrupted: %s', async (_why, terminated, status, reason) => {
    cluster.onPod = (pod) => cluster.endPod(pod, terminated, status)
    await expect(seed()).rejects.toMatchObject({ reason })
  })

  const waiting = (reason: string) => (pod: object) =>
    cluster.updatePod(pod, (one) => {
      one.status.containerStatuses = [{ restartCount: 0, state: { waiting: { reason, message: 'because' } } }]
    })
  it.each<[string, () => void, string]>([
    [
      'cannot load the image',
      () => {
        cluster.onPod = waiting('ImagePullBackOff')
      },
      'the cluster could not load the image of the stack',
    ],
    [
      'has no node with room for the pod',
      () => {
        cluster.onPod = (pod) =>
          cluster.updatePod(pod, (one) => {
            const conditions = [
              { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
            ]
            one.status = { phase: 'Pending', conditions }
          })
      },
      'no node of the cluster has room for the seeding',
    ],
    [
      'refuses the job',
      () => {
        cluster.refuse = (method, path) =>
          method === 'PATCH' && path.includes('/jobs/')
            ? { status: 403, reason: 'Forbidden', message: 'admission webhook denied the request' }
            : undefined
      },
      'the cluster refused the seeding',
    ],
    [
      'has used up its quota',
      () => {
        cluster.refuse = (method, path) =>
          method === 'PATCH' && path.includes('/jobs/')
            ? { status: 403, reason: 'Forbidden', message: 'jobs is forbidden: exceeded quota: sandboxes' }
            : undefined
      },
      'the quota of the cluster is used up',
    ],
    [
      'has no quota for the pod',
      () => {
        cluster.createsPods = false
        const involvedObject = { kind: 'Job', name: 'sbx-abcdefgh12345678-seed' }
        const event = {
          involvedObject,
          reason: 'FailedCreate',
          message: 'pods is forbidden: exceeded quota: sandboxes',
        }
        cluster.put(`/api/v1/namespaces/${NAMESPACE}/events/one`, { metadata: { name: 'one' }, ...event })
      },
      'the quota of the cluster is used up',
    ],
  ])('[KUB-09] explains why a seeding failed: the cluster %s', async (_what, prepare, text) => {
    prepare()
    await expect(seed()).rejects.toThrow(new SeedError(`Seeding failed: ${text}`))
    expect(cluster.all('jobs')).toEqual([])
  })

  it('[KUB-18] reports a cluster that does not answer', async () => {
    const runtime = open({ retryLimitMs: 2_000 })
    await runtime.listFiles()
    cluster.isDown = true
    await expect(seed(runtime)).rejects.toThrow(RuntimeUnavailable)
    await expect(runtime.stop(ID)).rejects.toThrow(RuntimeUnavailable)
  })

  it('[STK-36] allows at most 32 stacks to start at a time', () => {
    expect(open().maxStarting).toBe(32)
  })

  it('[KUB-08] aborts a seeding', async () => {
    cluster.onPod = (pod) => cluster.runPod(pod)
    const abort = new AbortController()
    const result = open().seed(seedConfig, () => undefined, abort.signal)
    await expect.poll(podOf).toBeDefined()
    abort.abort()
    await expect(result).rejects.toThrow(SeedError)
    expect([cluster.all('jobs'), cluster.all('pods')]).toEqual([[], []])
  })

  it('[STK-26, KUB-10] runs a stack as a deployment, scales the deployment to zero when the stack stops, and wakes the stack', async () => {
    runsPods()
    const runtime = open()
    const due: (Date | null)[] = []
    const stack = await runtime.start(serveConfig, (at) => due.push(at))
    expect(stack).toMatchObject({ host: '127.0.0.1', port: 8080 })
    expect(runtime.status(ID)).toBe('running')
    const config = configOf('sbx-abcdefgh12345678')
    expect(config).toMatchObject({ listen: { host: '0.0.0.0', port: 8080 } })
    expect(config).not.toHaveProperty('clockAnchor')
    expect(config).not.toHaveProperty('serviceRun')
    const applied = cluster.requests.filter(({ query }) => query.get('force') === 'true')
    expect(new Set(applied.map(({ query }) => query.get('fieldManager')))).toEqual(new Set(['storey']))
    expect(applied.map(({ body }) => body.kind).sort()).toEqual(['Deployment', 'NetworkPolicy', 'Secret', 'Service'])

    // The stack reports its due work while it stops.
    cluster.onTerminating = (pod) => {
      control.write({ type: 'due', at: null })
      control.write({ type: 'stopped' })
      setTimeout(() => cluster.delete(`/api/v1/namespaces/${NAMESPACE}/pods/${pod.metadata.name}`), 300)
    }
    await runtime.stop(ID)
    await stack.ended
    expect(due).toEqual([null])
    expect(stack.exit!()).toEqual({ exitCode: 0, signal: null })
    expect(cluster.objects.get(BASE).spec.replicas).toBe(0)
    expect(runtime.status(ID)).toBe('stopped')
    expect(await runtime.start(serveConfig, () => undefined)).toMatchObject({ port: 8080 })
    expect(cluster.objects.get(BASE).spec.replicas).toBe(1)
  })

  it('[KUB-10] stops a pod by force if it does not end', async () => {
    runsPods()
    const runtime = open()
    const stack = await runtime.start(serveConfig, () => undefined)
    cluster.onTerminating = () => undefined
    const stopping = runtime.stop(ID)
    await expect.poll(() => podOf()?.metadata.deletionTimestamp).toBeDefined()
    await stopping
    await stack.ended
    expect(cluster.all('pods')).toEqual([])
    const { body } = cluster.requests.findLast(({ method, path }) => method === 'DELETE' && path.includes('/pods/'))!
    expect(body).toMatchObject({ gracePeriodSeconds: 0 })
  })

  it('[KUB-11] connects to a stack that another control plane started, and leaves it running when it detaches', async () => {
    runsPods()
    await open().start(serveConfig, () => undefined)
    const other = open()
    other.prepare!()
    await expect.poll(() => other.status(ID)).toBe('running')
    const changes = cluster.requests.filter(({ method }) => method === 'PATCH').length
    const stack = await other.start(serveConfig, () => undefined)
    other.send(ID, { type: 'people' })
    await expect.poll(() => control.commands).toEqual([{ type: 'people' }])
    other.detach!(ID)
    await stack.ended
    expect(cluster.requests.filter(({ method }) => method === 'PATCH').length).toBe(changes)
    expect(other.status(ID)).toBe('running')
    await other.stop(ID)
    expect(cluster.all('pods')).toEqual([])
  })

  it('[KUB-12] notices the crash of a container, and reads the exit code', async () => {
    runsPods()
    const runtime = open()
    const stack = await runtime.start(serveConfig, () => undefined)
    cluster.updatePod(podOf(), (pod) => {
      const lastState = { terminated: { exitCode: 75 } }
      pod.status.containerStatuses = [{ restartCount: 1, lastState, state: { running: {} } }]
    })
    await stack.ended
    expect(stack.exit!()).toEqual({ exitCode: 75, signal: null })
    // The cluster restarted the container, and the next start connects to it.
    expect(await runtime.start(serveConfig, () => undefined)).toMatchObject({ port: 8080 })
  })

  it('[KUB-12] notices the deletion of a pod, even if the pod was deleted while the watch was interrupted', async () => {
    runsPods()
    const runtime = open()
    const stack = await runtime.start(serveConfig, () => undefined)
    const before = cluster.watches
    const { name } = podOf().metadata
    cluster.isDown = true
    cluster.breakWatches()
    cluster.delete(`/api/v1/namespaces/${NAMESPACE}/pods/${name}`, true)
    cluster.compact()
    control.write({ type: 'stopped' })
    cluster.isDown = false
    await stack.ended
    await expect.poll(() => cluster.watches, { timeout: 5_000 }).toBeGreaterThan(before)
    await expect.poll(() => runtime.status(ID), { timeout: 5_000 }).toBe('stopped')
  })

  it('[KUB-12] continues a broken watch at its last version, and lists all pods again if that version is too old', async () => {
    runsPods()
    const runtime = open()
    runtime.prepare!()
    await expect.poll(() => cluster.watches).toBe(1)
    const lists = () =>
      cluster.requests.filter(({ path, query }) => path.endsWith('/pods') && !query.has('watch')).length
    cluster.breakWatches()
    await expect.poll(() => cluster.watches, { timeout: 5_000 }).toBe(2)
    expect(lists()).toBe(1)
    cluster.breakWatches()
    cluster.compact()
    const metadata = { name: 'late', namespace: NAMESPACE, labels: labelsOfStack() }
    cluster.put(`/api/v1/namespaces/${NAMESPACE}/pods/late`, { metadata, status: { phase: 'Running' } }, true)
    cluster.compact()
    await expect.poll(() => runtime.status(ID), { timeout: 5_000 }).toBe('running')
    expect(lists()).toBe(2)
  })
  const labelsOfStack = () => ({
    ...{ 'app.kubernetes.io/name': 'storey', 'app.kubernetes.io/managed-by': 'storey' },
    ...{ 'app.kubernetes.io/component': 'stack', 'storey.dev/installation': 'aabbccdd', 'storey.dev/sandbox': ID },
  })

  it.each<[string, object, unknown]>([
    [
      'its schema',
      { exitCode: 1, message: JSON.stringify({ type: 'schema', state: 'behind', version: 3 }) },
      SchemaMismatch,
    ],
    ['its database', { exitCode: 69 }, DatabaseUnavailable],
    ['a crash', { exitCode: 1 }, StackEnded],
  ])(
    '[KUB-12] fails the start of a stack that ends because of %s, and does not let the cluster restart the stack',
    async (_why, terminated, type) => {
      cluster.onPod = (pod) =>
        cluster.updatePod(pod, (one) => {
          one.status.containerStatuses = [
            { restartCount: 1, lastState: { terminated }, state: { waiting: { reason: 'CrashLoopBackOff' } } },
          ]
        })
      await expect(open().start(serveConfig, () => undefined)).rejects.toBeInstanceOf(type)
      expect(cluster.objects.get(BASE).spec.replicas).toBe(0)
    },
  )

  it('[KUB-12] does not wait for a stack that is stopped while it starts', async () => {
    const runtime = open()
    const starting = runtime.start(serveConfig, () => undefined).catch((err) => err)
    await expect.poll(podOf).toBeDefined()
    expect(runtime.status(ID)).toBe('starting')
    await runtime.stop(ID)
    expect(await starting).toBeInstanceOf(StackEnded)
    expect(cluster.all('pods')).toEqual([])
  })

  it('[KUB-13] lists the sandboxes that have objects in the cluster, and removes all objects of a sandbox', async () => {
    runsPods()
    const runtime = open()
    expect(await runtime.listFiles()).toEqual([])
    await runtime.start(serveConfig, () => undefined)
    expect(await runtime.listFiles()).toEqual([ID])
    await runtime.stop(ID)
    expect(await runtime.listFiles()).toEqual([ID])
    await runtime.removeFiles(ID)
    expect(await runtime.listFiles()).toEqual([])
    expect([...cluster.objects.keys()].filter((path) => path.includes('sbx'))).toEqual([])
    await runtime.removeFiles(ID)
  })

  it('[KUB-13] gives each sandbox a namespace of its own if that is configured, and removes the namespace with the sandbox', async () => {
    runsPods()
    const runtime = open({ isNamespacePerSandbox: true })
    await runtime.start(serveConfig, () => undefined)
    const namespace = cluster.objects.get(`/api/v1/namespaces/${NAMESPACE}-sbx-abcdefgh12345678`)
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' })
    expect(podOf().metadata.namespace).toBe(namespace.metadata.name)
    expect(cluster.all('networkpolicies')).toHaveLength(1)
    expect(await runtime.listFiles()).toEqual([ID])
    await runtime.removeFiles(ID)
    expect(await runtime.listFiles()).toEqual([])
    expect([...cluster.objects.keys()].filter((path) => path.includes('sbx'))).toEqual([])
  })
})
