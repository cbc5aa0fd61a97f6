import type { SeedConfig, ServeConfig } from '@storey/contract'
import { silentLog } from '@storey/kit/log'
import { KEY, type ScriptedControl } from '../../../testing/scripted-control.ts'
import { createKubernetesRuntime, type KubernetesRuntimeOptions } from '../kubernetes-runtime.ts'
import type { SmallCluster } from './small-cluster.ts'

export const ID = 'sbx_abcdefgh12345678'
export const NAMESPACE = 'storey-sandboxes'
const common = {
  ...{ sandboxId: ID, organizationId: 'org_a', databaseUrl: 'postgres://database', internalKey: KEY },
  ...{ logLevel: 'info', logForm: 'json' },
}
export const seedConfig = {
  ...{ ...common, building: {}, telemetryDays: 0, until: '2026-01-01T00:00:00Z' },
} as unknown as SeedConfig
export const serveConfig = {
  ...{ ...common, apiUrl: 'http://a.localhost', serviceRun: 'aaaaaaaa' },
  clockAnchor: { wallMs: 1, sinceBootMs: 1 },
} as unknown as ServeConfig

/** A runtime whose cluster and stacks are scripted. */
export function runtimeOn(
  cluster: SmallCluster,
  control: ScriptedControl,
  { replicas = 1, ...changes }: Partial<KubernetesRuntimeOptions> & { replicas?: number } = {},
) {
  return createKubernetesRuntime({
    ...{ api: { url: cluster.url }, installation: 'aabbccdd', namespace: NAMESPACE, isNamespacePerSandbox: false },
    pods: {
      ...{ image: 'storey:1', pullSecrets: [], nodeSelector: {}, filesLimit: '2Gi', memoryLimitMb: 512, replicas },
      resources: { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '1Gi' } },
      ...{ environment: { TZ: 'UTC' }, ports: { http: 8080, control: control.port } },
    },
    network: { controlNamespace: 'storey', controlRanges: [], egress: [], deniedRanges: [] },
    ...{ log: silentLog, startLimitMs: 3_000, pendingLimitMs: 1_500, stopLimitMs: 2_000 },
    ...changes,
  })
}
