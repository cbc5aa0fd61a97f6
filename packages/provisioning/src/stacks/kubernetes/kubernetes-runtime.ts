import type { Log } from '@storey/kit/log'
import { createStackReports } from '../stack-reports.ts'
import type { StackRuntime } from '../stack-runtime.ts'
import { createApiClient } from './api-client.ts'
import { type ApiAddress, openApiConnection } from './api-connection.ts'
import { installationLabels, SANDBOX_LABEL, SEED, STACK, selectorOf } from './labels.ts'
import { type NetworkSettings, PORTS, type PodSettings } from './manifests.ts'
import { isTerminating } from './pod-state.ts'
import type { ReplicaGroup } from './replica-group.ts'
import { createSeedRun } from './run-seed.ts'
import { createStackRun } from './run-stack.ts'
import { createSandboxObjects } from './sandbox-objects.ts'
import { createPodWatch } from './watch-pods.ts'

export interface KubernetesRuntimeOptions {
  api: ApiAddress
  /** Distinguishes the objects of installations that share a cluster. */
  installation: string
  namespace: string
  isNamespacePerSandbox: boolean
  pods: PodSettings
  network: NetworkSettings
  log: Log
  startLimitMs?: number
  pendingLimitMs?: number
  stopLimitMs?: number
  /** How long a request is repeated while the cluster does not answer. */
  retryLimitMs?: number
}

interface Serving {
  cancel: AbortController
  group: ReplicaGroup | undefined
  /** Resolves when the start has ended, whatever its result. */
  started: Promise<unknown>
}

/** The time limit for the start of a stack. It is long enough for a node that has to load the image first. */
const START_LIMIT_MS = 60_000
/** How long the pod of a seeding may wait to start: long enough for a cluster that has to start a node first. */
const PENDING_LIMIT_MS = 180_000
/** Many stacks can start at the same time: a start mostly waits for the cluster, which starts many pods at a time. */
const MAX_STARTING = 32
const STOP_LIMIT_MS = 30_000
const ENDED_LIMIT_MS = 10_000

/** Runs stacks as pods of a Kubernetes cluster. They survive this process, and every control plane can use them. */
export function createKubernetesRuntime(options: KubernetesRuntimeOptions): StackRuntime & { close(): void } {
  const { installation, namespace, isNamespacePerSandbox, pods, log } = options
  const connection = openApiConnection(options.api)
  const api = createApiClient(connection, options.retryLimitMs)
  const watch = createPodWatch({
    ...{ api, log },
    path: isNamespacePerSandbox ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`,
    labelSelector: `${selectorOf(installationLabels(installation))},${SANDBOX_LABEL}`,
  })
  const objects = createSandboxObjects({ ...options, api })
  const controlPort = (pods.ports ?? PORTS).control
  const stacks = createStackRun({
    ...{ objects, watch, controlPort, image: pods.image, servesAfterSigterm: pods.replicas > 1, log },
    startLimitMs: options.startLimitMs ?? START_LIMIT_MS,
  })
  const seed = createSeedRun({
    objects,
    watch,
    controlPort,
    log,
    pendingLimitMs: options.pendingLimitMs ?? PENDING_LIMIT_MS,
  })
  const reports = createStackReports()
  const serving = new Map<string, Serving>()

  /** Resolves when no pod of the sandbox is left. Pods that do not end in time are deleted by force. */
  async function untilNoPods(sandboxId: string, component: string): Promise<void> {
    const none = () => watch.of(sandboxId, component).length === 0 || undefined
    if (await watch.until(sandboxId, none, { limitMs: options.stopLimitMs ?? STOP_LIMIT_MS })) return
    await Promise.all(watch.of(sandboxId, component).map(({ metadata }) => objects.endPod(metadata)))
    if (await watch.until(sandboxId, none, { limitMs: ENDED_LIMIT_MS })) return
    throw new Error('the cluster has not ended the pods of the sandbox')
  }

  /**
   * A stack that has reported its stop has ended, even if its pods still exist. This function then waits only until the
   * cluster reports the pods as terminating, so that the next start does not take them for running ones.
   */
  async function untilStopped(sandboxId: string, group: ReplicaGroup | undefined): Promise<void> {
    const noPods = untilNoPods(sandboxId, STACK)
    if (!group) return await noPods
    const ended = group.ended.then(() =>
      watch.until(sandboxId, () => watch.of(sandboxId, STACK).every(isTerminating) || undefined, {
        limitMs: ENDED_LIMIT_MS,
      }),
    )
    await Promise.race([noPods, ended])
    noPods.catch((err) => log.warn({ err, sandboxId }, 'could not end the pods of a stack'))
  }

  return {
    isShared: true,
    maxStarting: MAX_STARTING,
    replicas: pods.replicas,
    seed,

    async start(config, onDue, onStorage, onReplica) {
      const { sandboxId } = config
      serving.get(sandboxId)?.group?.close()
      const entry: Serving = { cancel: new AbortController(), group: undefined, started: Promise.resolve() }
      serving.set(sandboxId, entry)
      const starting = stacks.start(config, {
        ...{ onDue, onStorage, onReplica, signal: entry.cancel.signal },
        onServing: (remote) => reports.follow(sandboxId, remote.reports, remote.ended),
      })
      entry.started = starting.catch(() => undefined)
      try {
        const { group, running } = await starting
        entry.group = group
        group.ended.then(() => forget(sandboxId, entry))
        log.debug({ sandboxId, host: running.host }, 'stack started')
        return running
      } catch (err) {
        forget(sandboxId, entry)
        // Without this, the cluster would restart the container again and again. The stack pool decides about the next
        // start.
        if (!entry.cancel.signal.aborted)
          await objects
            .scaleToZero(sandboxId)
            .catch((err) => log.warn({ err, sandboxId }, 'could not scale a stack to zero'))
        throw err
      }
    },

    async stop(sandboxId) {
      const entry = serving.get(sandboxId)
      entry?.cancel.abort()
      await entry?.started
      await watch.start()
      const exists = await objects.scaleToZero(sandboxId)
      if (exists) await untilStopped(sandboxId, entry?.group)
      if (watch.of(sandboxId, SEED).length > 0) {
        await objects.removeSeed(sandboxId)
        await untilNoPods(sandboxId, SEED)
      }
      log.debug({ sandboxId }, 'stack stopped')
    },

    send: (sandboxId, command) => serving.get(sandboxId)?.group?.send(command),

    status(sandboxId) {
      const entry = serving.get(sandboxId)
      if (entry) return entry.group ? 'running' : 'starting'
      return stacks.isAlive(sandboxId) ? 'running' : 'stopped'
    },

    async listRunning() {
      await watch.start()
      return watch.sandboxes().filter(stacks.isAlive)
    },

    detach(sandboxId) {
      const entry = serving.get(sandboxId)
      entry?.cancel.abort()
      entry?.group?.close()
    },

    prepare() {
      watch.start().catch((err) => log.error({ err }, 'could not read the pods of the cluster'))
    },
    report: reports.read,
    async removeFiles(sandboxId) {
      await watch.start()
      await objects.remove(sandboxId)
      await Promise.all([untilNoPods(sandboxId, STACK), untilNoPods(sandboxId, SEED)])
    },
    listFiles: () => objects.list(),
    close() {
      watch.close()
      for (const { group } of serving.values()) group?.close()
      connection.agent.destroy()
    },
  }

  function forget(sandboxId: string, entry: Serving): void {
    if (serving.get(sandboxId) === entry) serving.delete(sandboxId)
  }
}
