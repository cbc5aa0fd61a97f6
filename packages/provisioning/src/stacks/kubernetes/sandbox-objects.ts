import { setTimeout as sleep } from 'node:timers/promises'
import type { SeedConfig, ServeConfig } from '@storey/contract'
import { type ApiClient, FIELD_MANAGER, isRefusal } from './api-client.ts'
import { installationLabels, SANDBOX_LABEL, selectorOf } from './labels.ts'
import { createManifests, type NetworkSettings, nameOf, type PodSettings, seedNameOf } from './manifests.ts'
import type { Condition, List, Metadata } from './objects.ts'
import type { PodProblem } from './pod-state.ts'

export interface SandboxObjectsOptions {
  api: ApiClient
  installation: string
  /** The namespace of all sandboxes, or the beginning of the names of their namespaces. */
  namespace: string
  isNamespacePerSandbox: boolean
  pods: PodSettings
  network: NetworkSettings
}

const REMOVE_LIMIT_MS = 60_000
const CHECK_EVERY_MS = 250
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

/** Creates, finds and removes the objects of sandboxes in the cluster. */
export function createSandboxObjects(options: SandboxObjectsOptions) {
  const { api, installation, namespace, isNamespacePerSandbox, pods, network } = options
  const manifests = createManifests(options)
  const namespaceOf = (sandboxId: string) => (isNamespacePerSandbox ? `${namespace}-${nameOf(sandboxId)}` : namespace)
  const inNamespace = (sandboxId: string, group: string, kind: string, name: string) =>
    `${group}/namespaces/${namespaceOf(sandboxId)}/${kind}/${name}`
  const paths = (sandboxId: string) => ({
    deployment: inNamespace(sandboxId, '/apis/apps/v1', 'deployments', nameOf(sandboxId)),
    service: inNamespace(sandboxId, '/api/v1', 'services', nameOf(sandboxId)),
    secret: inNamespace(sandboxId, '/api/v1', 'secrets', nameOf(sandboxId)),
    budget: inNamespace(sandboxId, '/apis/policy/v1', 'poddisruptionbudgets', nameOf(sandboxId)),
    job: inNamespace(sandboxId, '/apis/batch/v1', 'jobs', seedNameOf(sandboxId)),
    seedSecret: inNamespace(sandboxId, '/api/v1', 'secrets', seedNameOf(sandboxId)),
  })
  let policy: Promise<unknown> | undefined

  /** A sandbox in its own namespace needs its own network policy. Otherwise all sandboxes share one, applied once. */
  async function prepareNamespace(config: SeedConfig | ServeConfig): Promise<void> {
    const { sandboxId } = config
    const name = namespaceOf(sandboxId)
    const manifest = manifests.networkPolicy(network)
    const path = `/apis/networking.k8s.io/v1/namespaces/${name}/networkpolicies/${manifest.metadata.name}`
    if (isNamespacePerSandbox) {
      await api.apply(`/api/v1/namespaces/${name}`, manifests.namespace(name, config))
      return void (await api.apply(path, manifest))
    }
    policy ??= api.apply(path, manifest)
    await policy.catch((err) => {
      policy = undefined
      throw err
    })
  }

  async function untilGone(path: string): Promise<void> {
    for (
      const deadline = performance.now() + REMOVE_LIMIT_MS;
      performance.now() < deadline;
      await sleep(CHECK_EVERY_MS)
    ) {
      const isGone = await api.call('GET', path).then(
        () => false,
        (err) => isRefusal(err, 404) || Promise.reject(err),
      )
      if (isGone) return
    }
    throw new Error(`the cluster has not removed ${path}`)
  }

  async function removeSeed(sandboxId: string): Promise<void> {
    const { job, seedSecret } = paths(sandboxId)
    await Promise.all([api.remove(job), api.remove(seedSecret)])
    await untilGone(job)
  }

  return {
    namespaceOf,

    /** Takes no abort signal, because the cluster could complete an aborted request after the objects were removed. */
    async applySeed(config: SeedConfig): Promise<void> {
      const { job, seedSecret } = paths(config.sandboxId)
      await prepareNamespace(config)
      await api.apply(seedSecret, manifests.seedSecret(config))
      await api.apply(job, manifests.job(config))
    },
    removeSeed,

    async applyStack(config: ServeConfig): Promise<void> {
      const { deployment, service, secret, budget } = paths(config.sandboxId)
      await prepareNamespace(config)
      await Promise.all([
        api.apply(secret, manifests.stackSecret(config)),
        api.apply(service, manifests.service(config)),
      ])
      const { name, uid } = await api.apply(deployment, manifests.deployment(config))
      if (pods.replicas > 1) await api.apply(budget, manifests.disruptionBudget(config, { name, uid: uid! }))
    },

    /** Scales the stack to zero. False if the sandbox has no stack in the cluster. */
    async scaleToZero(sandboxId: string): Promise<boolean> {
      const body = { spec: { replicas: 0 } }
      const type = 'application/merge-patch+json' as const
      const query = { fieldManager: FIELD_MANAGER }
      return await api.call('PATCH', paths(sandboxId).deployment, { body, type, query }).then(
        () => true,
        (err) => (isRefusal(err, 404) ? false : Promise.reject(err)),
      )
    },

    endPod: ({ namespace, name }: Metadata) =>
      api.remove(`/api/v1/namespaces/${namespace}/pods/${name}`, { graceSeconds: 0 }),

    /** Why the cluster creates no pod for the stack; undefined if the cluster reports no reason. */
    async stackProblem(sandboxId: string): Promise<PodProblem | undefined> {
      const { status } = await api.call<{ status?: { conditions?: Condition[] } }>('GET', paths(sandboxId).deployment)
      const failure = status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
      return failure && creationProblem(failure.message ?? failure.reason ?? '')
    },

    /** Why the cluster creates no pod for the seeding. Only events report the reason: a job has no condition for it. */
    async seedProblem(sandboxId: string): Promise<PodProblem | undefined> {
      const path = `/api/v1/namespaces/${namespaceOf(sandboxId)}/events`
      const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${seedNameOf(sandboxId)},reason=FailedCreate`
      const { items } = await api.call<List<{ message?: string }>>('GET', path, { query: { fieldSelector } })
      const message = items?.at(-1)?.message
      return message === undefined ? undefined : creationProblem(message)
    },

    /** Removes all objects of the sandbox, and waits until its namespace, or its deployment and its job, are gone. */
    async remove(sandboxId: string): Promise<void> {
      if (isNamespacePerSandbox) {
        const path = `/api/v1/namespaces/${namespaceOf(sandboxId)}`
        await api.remove(path)
        return await untilGone(path)
      }
      const { deployment, service, secret } = paths(sandboxId)
      await Promise.all([
        removeSeed(sandboxId),
        ...[deployment, service, secret].map((path) => api.remove(path)),
        untilGone(deployment),
      ])
    },

    /** The sandboxes that have any object in the cluster. */
    async list(): Promise<string[]> {
      const kinds = isNamespacePerSandbox
        ? ['/api/v1/namespaces']
        : [
            ...['secrets', 'services', 'pods'].map((kind) => `/api/v1/namespaces/${namespace}/${kind}`),
            `/apis/apps/v1/namespaces/${namespace}/deployments`,
            `/apis/batch/v1/namespaces/${namespace}/jobs`,
          ]
      const found = new Set<string>()
      for (const path of kinds) {
        let next: string | undefined
        do {
          const query = {
            labelSelector: `${selectorOf(installationLabels(installation))},${SANDBOX_LABEL}`,
            limit: '500',
            ...(next ? { continue: next } : {}),
          }
          const page = await api.call<List<{ metadata: Metadata }>>('GET', path, { query, accept: METADATA_ONLY })
          for (const { metadata } of page.items ?? []) found.add(metadata.labels![SANDBOX_LABEL]!)
          next = page.metadata.continue || undefined
        } while (next)
      }
      return [...found]
    },
  }
}

export type SandboxObjects = ReturnType<typeof createSandboxObjects>

/** A refusal to create an object or a pod. */
export const creationProblem = (message: string): PodProblem => ({
  kind: /exceeded quota/.test(message) ? 'quota' : 'refused',
  detail: message,
})
