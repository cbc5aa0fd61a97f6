import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { parseRange } from '@storey/kit/client-address'
import type { SettingsReader } from '@storey/kit/config'
import type { ApiAddress } from '@storey/provisioning/kubernetes'
import { STACK_MEMORY_MB } from './stack-memory.ts'

/** How stacks run in a Kubernetes cluster. */
export interface KubernetesSettings {
  api: ApiAddress
  /** The namespace of all sandboxes, or the beginning of the names of their namespaces. */
  namespace: string
  isNamespacePerSandbox: boolean
  /** The namespace of this process, if it runs in the cluster. */
  controlNamespace: string | undefined
  image: string
  pullSecrets: readonly string[]
  nodeSelector: Readonly<Record<string, string>>
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  filesLimit: string
  /** How many pods serve each sandbox. */
  replicas: number
  controlRanges: readonly string[]
  egress: readonly { range: string; port?: number }[]
}

/** Where Kubernetes mounts the service account of a pod. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
/** At most 42 characters: a name may have 63, and with a namespace per sandbox `-sbx-` and 16 more are appended. */
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/
/** A notice to other control planes contains the address of each pod, and has a maximum length. */
const MAX_REPLICAS = 16
const LABEL = /^([a-z0-9.-]+\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/
const QUANTITY = /^(\d+(?:\.\d+)?)(m|k|Ki|M|Mi|G|Gi|T|Ti)?$/
const UNITS = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 }

export function readKubernetesSettings(read: SettingsReader, accountFolder = SERVICE_ACCOUNT): KubernetesSettings {
  const image = read.text('KUBERNETES_IMAGE')
  if (image === undefined) read.addError('KUBERNETES_IMAGE', 'is required with STACK_RUNTIME=kubernetes')
  const namespace = read.text('KUBERNETES_NAMESPACE') ?? 'storey-sandboxes'
  if (!NAMESPACE.test(namespace))
    read.addError('KUBERNETES_NAMESPACE', 'must be the name of a namespace with at most 42 characters', namespace)
  const cpuLimit = quantity(read, 'KUBERNETES_CPU_LIMIT')
  return {
    api: apiAddress(read),
    namespace,
    isNamespacePerSandbox: read.flag('KUBERNETES_NAMESPACE_PER_SANDBOX', false),
    controlNamespace: ownNamespace(accountFolder),
    image: image ?? '',
    pullSecrets: read.list('KUBERNETES_PULL_SECRETS'),
    nodeSelector: nodeSelector(read),
    resources: {
      requests: {
        cpu: quantity(read, 'KUBERNETES_CPU_REQUEST') ?? '50m',
        memory: bytes(read, 'KUBERNETES_MEMORY_REQUEST') ?? '256Mi',
      },
      limits: {
        memory: memoryLimit(read),
        ...(cpuLimit === undefined ? {} : { cpu: cpuLimit }),
      },
    },
    filesLimit: bytes(read, 'KUBERNETES_FILES_LIMIT') ?? '2Gi',
    replicas: replicas(read),
    controlRanges: read
      .list('KUBERNETES_CONTROL_RANGES')
      .flatMap((text) => range(read, 'KUBERNETES_CONTROL_RANGES', text)),
    egress: read.list('KUBERNETES_EGRESS').flatMap((text) => egress(read, text)),
  }
}

function replicas(read: SettingsReader): number {
  const count = read.integer('KUBERNETES_REPLICAS', 1, { min: 1, max: MAX_REPLICAS })
  if (count > 1 && read.text('NATS_URL') === undefined)
    read.addError('KUBERNETES_REPLICAS', 'above 1 needs NATS_URL: the pods of a sandbox share their events by NATS')
  return count
}

/** The API server that the settings name, or that of the cluster in which this process runs. */
function apiAddress(read: SettingsReader): ApiAddress {
  const url = read.url('KUBERNETES_API_URL', ['https:', 'http:'])
  const host = read.text('KUBERNETES_SERVICE_HOST')
  const port = read.text('KUBERNETES_SERVICE_PORT') ?? '443'
  const own = url === undefined && host !== undefined ? inClusterAddress(host, port) : undefined
  if (url === undefined && own === undefined)
    read.addError('KUBERNETES_API_URL', 'is required with STACK_RUNTIME=kubernetes outside a cluster')
  const certificateFile = file(read, 'KUBERNETES_CERTIFICATE_FILE')
  const keyFile = file(read, 'KUBERNETES_KEY_FILE')
  if ((certificateFile === undefined) !== (keyFile === undefined))
    read.addError('KUBERNETES_CERTIFICATE_FILE', 'and KUBERNETES_KEY_FILE must both be set, or neither')
  return {
    url: url ?? own?.url ?? new URL('https://localhost'),
    caFile: file(read, 'KUBERNETES_CA_FILE') ?? own?.caFile,
    tokenFile: file(read, 'KUBERNETES_TOKEN_FILE') ?? (certificateFile === undefined ? own?.tokenFile : undefined),
    certificateFile,
    keyFile,
  }
}

const inClusterAddress = (host: string, port: string): ApiAddress => ({
  url: new URL(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`),
  caFile: `${SERVICE_ACCOUNT}/ca.crt`,
  tokenFile: `${SERVICE_ACCOUNT}/token`,
})

function file(read: SettingsReader, name: string): string | undefined {
  const path = read.text(name)
  if (path !== undefined && !isReadableFile(path)) read.addError(name, 'must be a file that can be read', path)
  return path
}

function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function ownNamespace(folder: string): string | undefined {
  const path = `${folder}/namespace`
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

function quantity(read: SettingsReader, name: string): string | undefined {
  const text = read.text(name)
  if (text !== undefined && !QUANTITY.test(text))
    read.addError(name, 'must be a quantity of Kubernetes, such as 250m or 512Mi', text)
  return text
}

/** A quantity of bytes. The unit `m` would mean thousandths of a byte. */
function bytes(read: SettingsReader, name: string): string | undefined {
  const text = read.text(name)
  if (text !== undefined && bytesOf(text) === undefined)
    read.addError(name, 'must be a number of bytes with a unit of Kubernetes, such as 512Mi or 2Gi', text)
  return text
}

function bytesOf(text: string): number | undefined {
  const [, count, unit] = QUANTITY.exec(text) ?? []
  if (count === undefined || unit === 'm') return undefined
  return Number(count) * (unit === undefined ? 1 : UNITS[unit as keyof typeof UNITS])
}

/**
 * The limit of the pod must be above that of the stack: above its own limit a stack ends itself and reports why, but at
 * the limit of the pod the kernel kills it.
 */
function memoryLimit(read: SettingsReader): string {
  const name = 'KUBERNETES_MEMORY_LIMIT'
  const text = bytes(read, name) ?? '1Gi'
  if ((bytesOf(text) ?? Number.POSITIVE_INFINITY) <= STACK_MEMORY_MB * 2 ** 20)
    read.addError(name, `must be above ${STACK_MEMORY_MB}Mi, the memory that a stack may use`, text)
  return text
}

function nodeSelector(read: SettingsReader): Record<string, string> {
  const name = 'KUBERNETES_NODE_SELECTOR'
  const pairs = read.list(name).map((text): [string, string] => {
    const [label = '', value = '', ...rest] = text.split('=')
    if (!LABEL.test(label) || !LABEL_VALUE.test(value) || rest.length > 0 || !text.includes('='))
      read.addError(name, 'must be labels such as pool=sandboxes', text)
    return [label, value]
  })
  return Object.fromEntries(pairs)
}

function range(read: SettingsReader, name: string, text: string): string[] {
  if (!parseRange(text)) {
    read.addError(name, 'must be addresses and ranges such as 10.0.0.0/8', text)
    return []
  }
  // A network policy of Kubernetes has only ranges, so a single address is written as a range.
  if (text.includes('/')) return [text]
  return [`${text}/${isIP(text) === 6 ? 128 : 32}`]
}

/** Reads an entry such as `10.0.3.0/24:5432`, `10.0.3.7`, or `[2001:db8::]/32:5432`. */
function egress(read: SettingsReader, text: string): { range: string; port?: number }[] {
  const [, address = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(
    text.startsWith('[') || !/:.*:/.test(text) ? text : `[${text}]`,
  )!
  const number = port === undefined ? undefined : Number(port)
  if (number !== undefined && (number < 1 || number > 65_535))
    read.addError('KUBERNETES_EGRESS', 'has no valid port', text)
  const found = range(read, 'KUBERNETES_EGRESS', address.replace(/[[\]]/g, ''))
  return found.map((range) => ({ range, ...(number === undefined ? {} : { port: number }) }))
}
