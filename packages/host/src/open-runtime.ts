import { readFileSync } from 'node:fs'
import type { Log } from '@storey/kit/log'
import { deriveSecret } from '@storey/kit/secrets'
import type { StackProgram } from '@storey/platform/program'
import { createProcessRuntime, type StackRuntime } from '@storey/provisioning'
import type { DataFolder } from './data-folder.ts'
import type { Settings } from './settings.ts'

export interface OpenRuntimeOptions {
  settings: Settings
  program: StackProgram
  folder: DataFolder
  masterSecret: string
  memoryLimitMb: number
  log: Log
}

/** Variables that name files of this machine, which a pod does not have. */
const FILES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/** Opens the runtime that the settings choose. The code of the Kubernetes runtime is loaded only if it is used. */
export async function openRuntime(options: OpenRuntimeOptions): Promise<StackRuntime & { close?(): void }> {
  const { settings, program, folder, masterSecret, memoryLimitMb, log } = options
  const { kubernetes, stackEnvironment: environment } = settings
  if (kubernetes === undefined) {
    return createProcessRuntime({
      program: program.file,
      folder: folder.sandboxes,
      compileCache: folder.compileCache,
      memoryLimitMb,
      spareProcesses: settings.spareStacks,
      environment,
      log,
    })
  }
  const { createKubernetesRuntime } = await import('@storey/provisioning/kubernetes')
  const { api, namespace, isNamespacePerSandbox, controlNamespace, controlRanges, egress, ...pods } = kubernetes
  const certificates = environment.NODE_EXTRA_CA_CERTS
  return createKubernetesRuntime({
    ...{ api, namespace, isNamespacePerSandbox, log },
    installation: deriveSecret(masterSecret, 'kubernetes-installation', 4).toString('hex'),
    pods: {
      ...pods,
      memoryLimitMb,
      environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !FILES.includes(name))),
      certificates: certificates === undefined ? undefined : readFileSync(certificates, 'utf8'),
    },
    network: { controlNamespace, controlRanges, egress, deniedRanges: settings.webhookDeniedRanges },
  })
}
