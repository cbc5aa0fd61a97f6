import type { SeedConfig, ServeConfig } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { createManifests, type PodSettings } from './manifests.ts'

const pods: PodSettings = {
  image: 'registry.example/storey:1',
  pullSecrets: ['registry'],
  nodeSelector: { pool: 'sandboxes' },
  resources: { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '1Gi' } },
  replicas: 1,
  filesLimit: '2Gi',
  memoryLimitMb: 512,
  environment: { HTTPS_PROXY: 'http://proxy' },
  certificates: 'PEM',
}
const config = {
  ...{ sandboxId: 'sbx_abcdefgh12345678', organizationId: 'org_a', databaseUrl: 'postgres://secret' },
  ...{ apiUrl: 'http://a.localhost', internalKey: 'k'.repeat(64) },
} as unknown as ServeConfig & SeedConfig
const manifests = createManifests({ installation: 'aabbccdd', pods })
const templates = {
  stack: manifests.deployment(config).spec.template,
  seed: manifests.job(config).spec.template,
}

describe.each(Object.entries(templates))('the pod of a %s', (component, { metadata, spec }) => {
  const [container] = spec.containers

  it('[KUB-14] meets the pod security standard “restricted”', () => {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(spec).not.toHaveProperty('hostNetwork')
    expect(container!.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    })
    expect(spec.volumes.map((volume) => Object.keys(volume)[1])).toEqual(['emptyDir', 'emptyDir', 'secret'])
  })

  it('[KUB-14] has resource requests and limits, and gets its configuration only from a secret', () => {
    expect(container).toMatchObject({ args: [component === 'stack' ? 'serve' : 'seed'], resources: pods.resources })
    expect(JSON.stringify(spec)).not.toMatch(/postgres:\/\/|kkkk/)
    expect(container!.env).toContainEqual({
      name: 'STACK_CONFIG',
      valueFrom: {
        secretKeyRef: {
          name: component === 'stack' ? 'sbx-abcdefgh12345678' : 'sbx-abcdefgh12345678-seed',
          key: 'config',
        },
      },
    })
  })

  it('has the labels of its sandbox, its organization and its installation', () => {
    expect(metadata.labels).toEqual({
      'app.kubernetes.io/name': 'storey',
      'app.kubernetes.io/managed-by': 'storey',
      'app.kubernetes.io/component': component,
      'storey.dev/installation': 'aabbccdd',
      'storey.dev/sandbox': config.sandboxId,
      'storey.dev/organization': 'org_a',
    })
  })
})

describe('the network policy', () => {
  const network = {
    controlNamespace: 'storey',
    controlRanges: ['192.0.2.1/32'],
    egress: [],
    deniedRanges: ['198.51.100.0/24', '2001:db8::/32'],
  }

  it('[KUB-15] allows connections from control planes only', () => {
    const { spec } = manifests.networkPolicy(network)
    expect(spec.podSelector.matchLabels).toMatchObject({ 'storey.dev/installation': 'aabbccdd' })
    expect(spec.ingress).toEqual([
      {
        from: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'storey' } },
            podSelector: {
              matchLabels: { 'app.kubernetes.io/name': 'storey', 'app.kubernetes.io/component': 'control-plane' },
            },
          },
          { ipBlock: { cidr: '192.0.2.1/32' } },
        ],
        ports: [
          { protocol: 'TCP', port: 8080 },
          { protocol: 'TCP', port: 8081 },
        ],
      },
    ])
    const closed = manifests.networkPolicy({ ...network, controlNamespace: undefined, controlRanges: [] })
    expect(closed.spec.ingress).toEqual([])
  })

  it('[KUB-15] allows connections to DNS, the given networks and public addresses only', () => {
    const egress = [{ range: '10.0.3.0/24', port: 5432 }, { range: '10.0.4.1/32' }]
    const [dns, database, other, open] = manifests.networkPolicy({ ...network, egress }).spec.egress
    expect(dns!.ports!.map(({ port }) => port)).toEqual([53, 53])
    expect(database).toEqual({ to: [{ ipBlock: { cidr: '10.0.3.0/24' } }], ports: [{ protocol: 'TCP', port: 5432 }] })
    expect(other).toEqual({ to: [{ ipBlock: { cidr: '10.0.4.1/32' } }] })
    expect(open).toMatchObject({
      to: [
        {
          ipBlock: {
            cidr: '0.0.0.0/0',
            except: expect.arrayContaining(['10.0.0.0/8', '192.168.0.0/16', '198.51.100.0/24']),
          },
        },
        { ipBlock: { cidr: '::/0', except: expect.arrayContaining(['fc00::/7', '2001:db8::/32']) } },
      ],
    })
  })
})
