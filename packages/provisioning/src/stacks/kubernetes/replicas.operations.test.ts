import type { StackCommand } from '@storey/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ScriptedControl } from '../../testing/scripted-control.ts'
import type { OnReplica } from '../stack-runtime.ts'
import { ID, NAMESPACE, runtimeOn, serveConfig } from './testing/runtime-on.ts'
import { SmallCluster } from './testing/small-cluster.ts'

/** Names of this machine, one for each pod. */
const HOSTS = ['127.0.0.1', '127.1', '127.0.1', '0x7f.1', '2130706433']
const REPLICAS = 3
const REVOKED: StackCommand = { type: 'revoked', issuer: 'https://realm.example', subject: 's1' }
const isStop = (command: unknown) => (command as StackCommand).type === 'stop'
const sendPeople: OnReplica = (send) => send({ type: 'people' })

describe('a stack with several pods', () => {
  let cluster: SmallCluster
  let control: ScriptedControl
  const opened: ReturnType<typeof runtimeOn>[] = []
  let pods = 0
  beforeEach(async () => {
    cluster = new SmallCluster()
    control = new ScriptedControl()
    pods = 0
    control.state = [{ type: 'listening', port: 8080 }]
    cluster.onPod = (pod) => cluster.runPod(pod, HOSTS[pods++])
    await Promise.all([cluster.start(), control.start()])
  })
  afterEach(async () => {
    for (const runtime of opened.splice(0)) runtime.close()
    await Promise.all([cluster.stop(), control.stop()])
  })

  function open() {
    const runtime = runtimeOn(cluster, control, { replicas: REPLICAS })
    opened.push(runtime)
    return runtime
  }
  async function started(onReplica: OnReplica = sendPeople) {
    const runtime = open()
    const due: (Date | null)[] = []
    const stack = await runtime.start(
      serveConfig,
      (at) => due.push(at),
      () => undefined,
      onReplica,
    )
    const hosts = () => stack.replicas!.all().map(({ host }) => host)
    return { runtime, stack, due, hosts }
  }
  const podAt = (host: string) => cluster.all('pods').find(({ status }) => status.podIP === host)

  it('[KUB-20] has the configured number of pods, on different nodes if possible, and a budget for disruptions', async () => {
    const { runtime, stack, hosts } = await started()
    expect(stack).toMatchObject({ port: 8080 })
    await expect.poll(() => hosts().toSorted()).toEqual(HOSTS.slice(0, 3).toSorted())
    expect(runtime.replicas).toBe(REPLICAS)
    const [deployment] = cluster.all('deployments')
    expect(deployment.spec.replicas).toBe(3)
    expect(deployment.spec.template.spec.topologySpreadConstraints).toMatchObject([
      { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
    ])
    expect(cluster.all('poddisruptionbudgets')).toMatchObject([
      {
        metadata: { ownerReferences: [{ kind: 'Deployment', uid: deployment.metadata.uid }] },
        spec: { maxUnavailable: 1, selector: deployment.spec.selector },
      },
    ])
    await runtime.stop(ID)
    await runtime.removeFiles(ID)
    expect([cluster.all('pods'), cluster.all('poddisruptionbudgets')]).toEqual([[], []])
  })

  it('[KUB-22] sends every command to each pod, and the commands of `onReplica` to a pod that starts later, before that pod gets requests', async () => {
    const { runtime, hosts } = await started(async (send) => {
      await send(REVOKED)
      await send({ type: 'people' })
    })
    await expect.poll(() => hosts().length).toBe(3)
    runtime.send(ID, { ...REVOKED, subject: 's2' } as StackCommand)
    const taken = (host: string) =>
      control.of(host).commands.map((command) => (command as { subject?: string }).subject)
    for (const host of hosts()) await expect.poll(() => taken(host)).toEqual(['s1', undefined, 's2'])
    cluster.replace(podAt('127.1'))
    await expect.poll(hosts).toContain('0x7f.1')
    expect(taken('0x7f.1')).toEqual(['s1', undefined])
    expect(hosts()).not.toContain('127.1')
  })

  it('[KUB-22] gives no requests to a pod that refuses a command, until that pod takes commands again', {
    timeout: 20_000,
  }, async () => {
    const { runtime, hosts, stack } = await started()
    await expect.poll(() => hosts().length).toBe(3)
    control.refusing.add('127.1')
    runtime.send(ID, REVOKED)
    await expect.poll(hosts, { timeout: 10_000 }).not.toContain('127.1')
    control.refusing.clear()
    await expect.poll(hosts, { timeout: 10_000 }).toContain('127.1')
    expect(stack.replicas!.list()).toHaveLength(3)
  })

  it('[KUB-23] keeps running while one of its pods ends, and ends when its last pod has ended', async () => {
    const { runtime, stack, hosts } = await started()
    await expect.poll(() => hosts().length).toBe(3)
    let hasEnded = false
    void stack.ended.then(() => {
      hasEnded = true
    })
    const changes: number[] = []
    stack.replicas!.onChange(() => changes.push(hosts().length))
    // A pod that is being deleted gets no requests from then on, although its process still runs.
    cluster.onTerminating = () => undefined
    cluster.terminate(podAt('127.0.0.1'))
    await expect.poll(hosts).toEqual(['127.1', '127.0.1'])
    // A container that crashed is restarted by the cluster.
    cluster.updatePod(podAt('127.1'), (pod) => {
      const lastState = { terminated: { exitCode: 75 } }
      pod.status.containerStatuses = [{ restartCount: 1, lastState, state: { running: {} } }]
    })
    await expect.poll(() => changes).toEqual([2, 1, 2])
    expect(hasEnded).toBe(false)
    cluster.terminate(podAt('127.1'))
    cluster.terminate(podAt('127.0.1'))
    await stack.ended
    expect(runtime.status(ID)).toBe('stopped')
  })

  it('[KUB-23] starts with the first pod that listens, whatever happens to the others', async () => {
    cluster.onPod = (pod) => {
      const host = HOSTS[pods++]!
      if (host === '127.1') return cluster.runPod(pod, host)
      if (host === '127.0.1') return
      cluster.updatePod(pod, (one) => {
        const lastState = { terminated: { exitCode: 1 } }
        one.status = { phase: 'Running', containerStatuses: [{ restartCount: 2, lastState, state: { waiting: {} } }] }
      })
    }
    const { stack, hosts } = await started()
    expect(stack.host).toBe('127.1')
    cluster.runPod(cluster.all('pods')[2], '127.0.1')
    await expect.poll(hosts).toEqual(['127.1', '127.0.1'])
    // The cluster has restarted the container that crashed.
    cluster.updatePod(cluster.all('pods')[0], (pod) => {
      pod.status = {
        phase: 'Running',
        podIP: '127.0.0.1',
        containerStatuses: [{ restartCount: 3, state: { running: {} } }],
      }
    })
    await expect.poll(hosts).toContain('127.0.0.1')
  })

  it('[KUB-23] fails to start when no pod can listen', async () => {
    cluster.onPod = (pod) =>
      cluster.updatePod(pod, (one) => {
        const lastState = { terminated: { exitCode: 1 } }
        one.status = { phase: 'Running', containerStatuses: [{ restartCount: 1, lastState, state: { waiting: {} } }] }
      })
    await expect(started()).rejects.toThrow(/code 1/)
    expect(cluster.all('deployments')[0].spec.replicas).toBe(0)
  })

  it('[KUB-23] ends only the pod that does not respond', async () => {
    const { stack, hosts } = await started()
    await expect.poll(() => hosts().length).toBe(3)
    const [first] = stack.replicas!.all()
    await stack.replicas!.end(first!)
    expect(hosts()).toHaveLength(2)
    const { path, body } = cluster.requests.findLast(({ method }) => method === 'DELETE')!
    expect([path, body.gracePeriodSeconds]).toEqual([expect.stringContaining('/pods/'), 0])
  })

  it('[KUB-24] reports the earliest due work of all pods, and stops when all have ended', async () => {
    const { runtime, stack, due, hosts } = await started()
    await expect.poll(() => hosts().length).toBe(3)
    const [one, two, three] = hosts().map((host) => control.of(host).streams[0]!)
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour))
    control.write({ type: 'due', at: at(5).toISOString() }, one)
    await expect.poll(() => due.at(-1)).toEqual(at(5))
    control.write({ type: 'due', at: null }, two)
    control.write({ type: 'due', at: at(3).toISOString() }, three)
    await expect.poll(() => due).toEqual([at(5), at(5), at(3)])
    const stops = new Map([one, two, three].map((stream, i) => [hosts()[i]!, stream!]))
    cluster.onTerminating = (pod) => {
      const stream = stops.get(pod.status.podIP)!
      control.write({ type: 'due', at: at(pod.status.podIP === hosts()[1] ? 7 : 9).toISOString() }, stream)
      // The pod ends as soon as it gets the command `stop`.
      const isStopSent = () => control.of(pod.status.podIP).commands.some((command) => isStop(command))
      const timer = setInterval(() => {
        if (!isStopSent()) return
        clearInterval(timer)
        control.write({ type: 'stopped' }, stream)
        cluster.delete(`/api/v1/namespaces/${NAMESPACE}/pods/${pod.metadata.name}`)
      }, 10)
    }
    await runtime.stop(ID)
    await stack.ended
    // The due times that were reported before the stop do not count.
    expect(due.at(-1)).toEqual(at(7))
    expect(cluster.all('pods')).toEqual([])
    // No pod was ended by force.
    expect(cluster.requests.filter(({ method, path }) => method === 'DELETE' && path.includes('/pods/'))).toEqual([])
  })

  it('[KUB-24] can be used by two control planes at the same time, which both use all of its pods', async () => {
    const first = await started()
    await expect.poll(() => first.hosts().length).toBe(3)
    const changes = cluster.requests.filter(({ method }) => method === 'PATCH').length
    const second = await started()
    await expect.poll(() => second.hosts().length).toBe(3)
    second.runtime.detach!(ID)
    await second.stack.ended
    expect(cluster.requests.filter(({ method }) => method === 'PATCH').length).toBe(changes)
    expect(first.hosts()).toHaveLength(3)
  })
})
