import { setTimeout as sleep } from 'node:timers/promises'
import { equal } from '../equal.ts'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import type { Cluster } from './cluster.ts'
import { enforcePolicies } from './enforce-policies.ts'
import { packImage } from './image.ts'
import { nodeTree } from './images.ts'
import { NODE_IMAGE, testPod, testPodSpec } from './test-pod.ts'

const NAMESPACE = 'cluster-check'
const POD_LIMIT_MS = 60_000

/** Checks the cluster itself, so that a later failure is one of Storey and not of the cluster. */
export async function checkCluster(suite: Suite, cluster: Cluster): Promise<void> {
  const { kubectl } = cluster
  const inNamespace = (...args: string[]) => kubectl(['-n', NAMESPACE, ...args])
  const ipOf = (pod: string) => inNamespace('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}')
  const get = async (url: string) => await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).text()
  const getFrom = async (pod: string, url: string) =>
    await get(`http://${await ipOf(pod)}:8080/?get=${encodeURIComponent(url)}`)
  const untilReady = (pod: string) => inNamespace('wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=90s')

  await cluster.load((folder) =>
    packImage(folder, NODE_IMAGE, [{ folder: nodeTree() }], { Entrypoint: ['/usr/local/bin/node'], User: '1000:1000' }),
  )
  const restricted = 'pod-security.kubernetes.io/enforce'
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels: { [restricted]: 'restricted' } },
  })

  await suite.check('a pod of an image without a registry becomes ready, under the policy "restricted"', async () => {
    await until('the namespace has its account', () =>
      inNamespace('get', 'serviceaccount', 'default').then(
        () => true,
        () => false,
      ),
    )
    await cluster.apply(
      testPod({ name: 'first', namespace: NAMESPACE }),
      testPod({ name: 'second', namespace: NAMESPACE }),
    )
    await untilReady('first')
    await untilReady('second')
  })
  await suite.check('the log of the pod is read, and a program runs in the pod, through the API server', async () => {
    await until('the log is there', async () => (await inNamespace('logs', 'first')).includes('listening on 8080'))
    const printed = await inNamespace('exec', 'first', '--', '/usr/local/bin/node', '-p', 'process.getuid()')
    if (printed.trim() !== '1000') throw new Error(`the user is ${printed}`)
  })
  await suite.check('the API server refuses a privileged pod in that namespace', async () => {
    const pod = testPod({ name: 'privileged', namespace: NAMESPACE })
    const container = { ...pod.spec.containers[0]!, securityContext: { privileged: true } }
    const refused = await cluster.apply({ ...pod, spec: { ...pod.spec, containers: [container] } }).then(
      () => '',
      (err: Error) => err.message,
    )
    if (!refused.includes('violates PodSecurity')) throw new Error(`not refused: ${refused}`)
  })
  await suite.check('this machine reaches pods, and pods reach each other', async () => {
    equal(await get(`http://${await ipOf('first')}:8080/`), 'first')
    equal(await getFrom('first', `http://${await ipOf('second')}:8080/`), 'second')
  })
  await suite.check('a service address leads to its pods, from this machine and from a pod', async () => {
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'second', namespace: NAMESPACE },
      spec: { selector: { app: 'second' }, ports: [{ port: 80, targetPort: 8_080 }] },
    })
    const address = await inNamespace('get', 'service', 'second', '-o', 'jsonpath={.spec.clusterIP}')
    await until('the service answers', () =>
      get(`http://${address}/`).then(
        (text) => text === 'second',
        () => sleep(100).then(() => false),
      ),
    )
    equal(await getFrom('first', `http://${address}/`), 'second')
    equal(await getFrom('second', `http://${address}/`), 'second')
  })
  await suite.check('the DNS of the cluster resolves the name of a service for a pod', async () => {
    await until('the name is resolved', async () => {
      return (await getFrom('first', `http://second.${NAMESPACE}.svc.cluster.local/`)) === 'second'
    })
  })
  await suite.check('a pod that uses more memory than its limit is ended', async () => {
    const script = 'const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 20)'
    await cluster.apply(testPod({ name: 'greedy', namespace: NAMESPACE, script, memory: '96Mi' }))
    const path = 'jsonpath={.status.containerStatuses[0].state.terminated.reason}'
    await until('it is ended', async () => (await inNamespace('get', 'pod', 'greedy', '-o', path)) !== '', POD_LIMIT_MS)
    equal(await inNamespace('get', 'pod', 'greedy', '-o', path), 'OOMKilled')
  })
  await suite.check('a deployment is scaled from zero, and replaces a pod that is deleted', async () => {
    const labels = { app: 'third' }
    await cluster.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'third', namespace: NAMESPACE },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: testPodSpec() },
      },
    })
    const ready = async () => await inNamespace('get', 'deployment', 'third', '-o', 'jsonpath={.status.readyReplicas}')
    await inNamespace('scale', 'deployment/third', '--replicas=1')
    const seconds = await until('a pod is ready', async () => (await ready()) === '1', POD_LIMIT_MS)
    const before = await inNamespace('get', 'pod', '-l', 'app=third', '-o', 'name')
    await inNamespace('delete', before.trim(), '--wait=true')
    await until('another pod is ready', async () => (await ready()) === '1', POD_LIMIT_MS)
    return `ready ${seconds.toFixed(1)} s after the scale`
  })
  await suite.check('network policies are enforced, for packets to a pod and from a pod', async () => {
    const policies = enforcePolicies(cluster)
    try {
      const second = `http://${await ipOf('second')}:8080/`
      const other = (
        await inNamespace('get', 'pod', '-l', 'app=third', '-o', 'jsonpath={.items[0].metadata.name}')
      ).trim()
      const reaches = async (pod: string) => (await getFrom(pod, second)) === 'second'
      equal([await reaches('first'), await reaches(other)], [true, true], 'before')
      const policy = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }
      await cluster.apply({
        ...policy,
        metadata: { name: 'to-second', namespace: NAMESPACE },
        spec: {
          podSelector: { matchLabels: { app: 'second' } },
          policyTypes: ['Ingress'],
          ingress: [{ from: [{ podSelector: { matchLabels: { app: 'first' } } }], ports: [{ port: 8_080 }] }],
        },
      })
      await until('another pod is refused', async () => !(await reaches(other)), POD_LIMIT_MS)
      equal(await reaches('first'), true, 'the pod that the policy allows')
      // This machine can still ask the first pod, because this policy is only about connections that the pod opens.
      await cluster.apply({
        ...policy,
        metadata: { name: 'from-first', namespace: NAMESPACE },
        spec: { podSelector: { matchLabels: { app: 'first' } }, policyTypes: ['Egress'], egress: [] },
      })
      await until('the first pod reaches nothing', async () => !(await reaches('first')), POD_LIMIT_MS)
    } finally {
      await policies.stop()
    }
  })
  await suite.check('a removed namespace leaves no pods', async () => {
    await kubectl(['delete', 'namespace', NAMESPACE, '--timeout=120s'])
    equal((await kubectl(['get', 'pods', '-n', NAMESPACE, '-o', 'name'])).trim(), '')
  })
}
