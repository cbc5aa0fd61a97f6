export type { ApiAddress } from './api-connection.ts'
export { createKubernetesRuntime, type KubernetesRuntimeOptions } from './kubernetes-runtime.ts'
export type { NetworkSettings, PodSettings } from './manifests.ts'
