import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConfigError, SettingsReader } from '@storey/kit/config'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { readKubernetesSettings } from './kubernetes-settings.ts'
import { readSettings } from './settings.ts'

const NOWHERE = '/nonexistent'
const OUTSIDE = { KUBERNETES_IMAGE: 'storey:1', KUBERNETES_API_URL: 'https://cluster.example:6443' }

function read(environment: Record<string, string>, folder = NOWHERE) {
  const reader = new SettingsReader(environment)
  return reader.finish(readKubernetesSettings(reader, folder))
}
function errorsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment)
    return []
  } catch (err) {
    return (err as ConfigError).errors
  }
}

describe('the settings of Kubernetes', () => {
  it('[KUB-16] need an image, the address of the cluster, and a database that pods can reach', () => {
    expect(errorsOf({}).join('\n')).toMatch(/KUBERNETES_IMAGE is required.*\n.*KUBERNETES_API_URL is required/)
    expect(() => readSettings({ STACK_RUNTIME: 'kubernetes', ...OUTSIDE })).toThrow(/DATABASE_URL is required/)
    const settings = readSettings({
      STACK_RUNTIME: 'kubernetes',
      DATABASE_URL: 'postgres://database/storey',
      ...OUTSIDE,
    })
    expect(settings.kubernetes).toMatchObject({ image: 'storey:1', namespace: 'storey-sandboxes' })
    expect(readSettings(OUTSIDE).kubernetes).toBeUndefined()
  })

  it('[KUB-16] find the cluster and the namespace of the pod in which the control plane runs', () => {
    const folder = temporaryFolder('storey-service-account')
    writeFileSync(join(folder, 'namespace'), 'storey\n')
    const inside = {
      KUBERNETES_IMAGE: 'storey:1',
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
    }
    expect(read(inside, folder)).toMatchObject({
      controlNamespace: 'storey',
      api: {
        url: new URL('https://10.96.0.1'),
        tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
      },
    })
    expect(read({ ...inside, KUBERNETES_SERVICE_HOST: 'fd00::1' }).api.url.host).toBe('[fd00::1]')
  })

  it('[KUB-16] may name other credentials for the API server of the cluster in which the control plane runs', () => {
    const inside = { KUBERNETES_IMAGE: 'storey:1', KUBERNETES_SERVICE_HOST: '10.96.0.1' }
    const file = import.meta.filename
    const url = new URL('https://10.96.0.1')
    expect(read({ ...inside, KUBERNETES_CA_FILE: file, KUBERNETES_TOKEN_FILE: file }).api).toMatchObject({
      ...{ url, caFile: file, tokenFile: file },
    })
    const withCertificate = { ...inside, KUBERNETES_CERTIFICATE_FILE: file, KUBERNETES_KEY_FILE: file }
    expect(read(withCertificate).api).toEqual({
      ...{ url, certificateFile: file, keyFile: file },
      caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
    })
    expect(errorsOf({ ...inside, KUBERNETES_TOKEN_FILE: '/nonexistent/file' })).toHaveLength(1)
  })

  it('[KUB-16] need a memory limit in bytes that is above the limit of the process of a stack', () => {
    const errorsWith = (limit: string) => errorsOf({ ...OUTSIDE, KUBERNETES_MEMORY_LIMIT: limit })
    for (const limit of ['513Mi', '0.6Gi', '600M', '536870913']) expect(errorsWith(limit), limit).toEqual([])
    for (const limit of ['512Mi', '0.5Gi', '512M', '400Mi', '1', '1000k'])
      expect(errorsWith(limit)).toEqual([
        `KUBERNETES_MEMORY_LIMIT must be above 512Mi, the memory that a stack may use, not "${limit}"`,
      ])
    expect(errorsWith('512m')).toEqual([
      'KUBERNETES_MEMORY_LIMIT must be a number of bytes with a unit of Kubernetes, such as 512Mi or 2Gi, not "512m"',
    ])
  })

  it('[KUB-16] read labels of nodes, whose values may be empty', () => {
    const selector = 'pool=sandboxes,node-role.kubernetes.io/worker='
    expect(read({ ...OUTSIDE, KUBERNETES_NODE_SELECTOR: selector }).nodeSelector).toEqual({
      pool: 'sandboxes',
      'node-role.kubernetes.io/worker': '',
    })
  })

  it('[KUB-16] have defaults for the resources of pods, and accept other values', () => {
    expect(read(OUTSIDE).resources).toEqual({ requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '1Gi' } })
    const changed = { KUBERNETES_CPU_REQUEST: '1', KUBERNETES_CPU_LIMIT: '2', KUBERNETES_MEMORY_LIMIT: '1.5Gi' }
    expect(read({ ...OUTSIDE, ...changed }).resources).toEqual({
      requests: { cpu: '1', memory: '256Mi' },
      limits: { memory: '1.5Gi', cpu: '2' },
    })
  })

  it('[KUB-20] set one pod for each sandbox by default, and allow several only with NATS', () => {
    expect(read(OUTSIDE).replicas).toBe(1)
    expect(read({ ...OUTSIDE, KUBERNETES_REPLICAS: '3', NATS_URL: 'nats://nats.example' }).replicas).toBe(3)
    expect(errorsOf({ ...OUTSIDE, KUBERNETES_REPLICAS: '3' }).join('\n')).toMatch(/KUBERNETES_REPLICAS.*NATS_URL/)
    for (const KUBERNETES_REPLICAS of ['0', '17', 'many'])
      expect(errorsOf({ ...OUTSIDE, KUBERNETES_REPLICAS }).join('\n')).toMatch(/KUBERNETES_REPLICAS/)
  })

  it('[KUB-16] read networks with and without a port', () => {
    const { egress, controlRanges } = read({
      ...OUTSIDE,
      KUBERNETES_EGRESS: '10.0.3.0/24:5432, 10.0.4.1, 2001:db8::/32, [2001:db8::5]:4222',
      KUBERNETES_CONTROL_RANGES: '192.0.2.1',
    })
    expect(egress).toEqual([
      { range: '10.0.3.0/24', port: 5432 },
      { range: '10.0.4.1/32' },
      { range: '2001:db8::/32' },
      { range: '2001:db8::5/128', port: 4222 },
    ])
    expect(controlRanges).toEqual(['192.0.2.1/32'])
  })

  it.each([
    ['KUBERNETES_NAMESPACE', 'Storey'],
    ['KUBERNETES_NAMESPACE', 'a'.repeat(43)],
    ['KUBERNETES_NAMESPACE_PER_SANDBOX', 'yes'],
    ['KUBERNETES_CPU_REQUEST', 'half'],
    ['KUBERNETES_FILES_LIMIT', '2 GB'],
    ['KUBERNETES_MEMORY_REQUEST', '256m'],
    ['KUBERNETES_FILES_LIMIT', '2000m'],
    ['KUBERNETES_NODE_SELECTOR', 'pool'],
    ['KUBERNETES_NODE_SELECTOR', 'pool=for sandboxes'],
    ['KUBERNETES_NODE_SELECTOR', 'pool=-a'],
    ['KUBERNETES_NODE_SELECTOR', `pool=${'a'.repeat(64)}`],
    ['KUBERNETES_EGRESS', 'database:5432'],
    ['KUBERNETES_EGRESS', '10.0.0.1:70000'],
    ['KUBERNETES_CONTROL_RANGES', 'everyone'],
    ['KUBERNETES_CA_FILE', '/nonexistent/file'],
    ['KUBERNETES_CERTIFICATE_FILE', import.meta.filename],
  ])('[KUB-16] refuse %s=%s', (name, value) => {
    expect(errorsOf({ ...OUTSIDE, [name]: value }).join()).toMatch(new RegExp(`^${name} `))
  })
})
