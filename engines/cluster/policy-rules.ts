/** The parts of Kubernetes objects that decide about packets. */
export interface Pod {
  metadata: { name: string; namespace: string; labels?: Labels }
  spec: { hostNetwork?: boolean; containers: { ports?: { name?: string; containerPort: number }[] }[] }
  status: { podIP?: string; phase?: string }
}
export interface Namespace {
  metadata: { name: string; labels?: Labels }
}
export interface NetworkPolicy {
  metadata: { namespace: string }
  spec: {
    podSelector?: Selector
    policyTypes?: ('Ingress' | 'Egress')[]
    ingress?: { from?: Peer[]; ports?: Port[] }[]
    egress?: { to?: Peer[]; ports?: Port[] }[]
  }
}
type Labels = Record<string, string>
interface Selector {
  matchLabels?: Labels
  matchExpressions?: { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: string[] }[]
}
interface Peer {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string; except?: string[] }
}
interface Port {
  protocol?: 'TCP' | 'UDP' | 'SCTP'
  port?: number | string
  endPort?: number
}

export interface Cluster {
  pods: readonly Pod[]
  namespaces: readonly Namespace[]
  policies: readonly NetworkPolicy[]
}

const TABLE = 'inet storey-policies'

/** The rules of nftables that enforce all network policies of a cluster on a node. They replace those of an earlier call. */
export function policyRules(cluster: Cluster): string {
  const running = cluster.pods.filter(
    ({ spec, status }) => status.podIP && !spec.hostNetwork && !['Succeeded', 'Failed'].includes(status.phase ?? ''),
  )
  const known = { ...cluster, pods: running }
  const chains: string[] = []
  const jumps: string[] = []
  for (const [i, pod] of running.entries()) {
    for (const direction of ['Ingress', 'Egress'] as const) {
      const policies = cluster.policies.filter((policy) => selects(policy, pod) && typesOf(policy).includes(direction))
      if (policies.length === 0) continue
      const name = `${direction.toLowerCase()}-${i}`
      const rules = policies.flatMap((policy) => allowed(known, policy, pod, direction))
      chains.push(`  chain ${name} {\n${rules.map((rule) => `    ${rule} return\n`).join('')}    drop\n  }`)
      jumps.push(`    ip ${direction === 'Ingress' ? 'daddr' : 'saddr'} ${pod.status.podIP} jump ${name}`)
    }
  }
  return `table ${TABLE}
delete table ${TABLE}
table ${TABLE} {
${chains.join('\n')}
  chain forward {
    type filter hook forward priority 0; policy accept;
    ct state established,related accept
${jumps.join('\n')}
  }
}
`
}

function typesOf({ spec }: NetworkPolicy): readonly string[] {
  return spec.policyTypes ?? (spec.egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'])
}

function selects({ metadata, spec }: NetworkPolicy, pod: Pod): boolean {
  return metadata.namespace === pod.metadata.namespace && matches(spec.podSelector ?? {}, pod.metadata.labels)
}

function allowed(
  cluster: Cluster,
  { metadata, spec }: NetworkPolicy,
  pod: Pod,
  direction: 'Ingress' | 'Egress',
): string[] {
  const field = direction === 'Ingress' ? 'saddr' : 'daddr'
  const rules =
    direction === 'Ingress'
      ? (spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }))
  return rules.flatMap(({ peers, ports }) => {
    const sources =
      peers === undefined || peers.length === 0
        ? [{ match: '', pods: cluster.pods }]
        : peers.flatMap((peer) => peerMatches(cluster, peer, metadata.namespace, field))
    return sources.flatMap((source) =>
      portMatches(ports, direction === 'Ingress' ? [pod] : source.pods).map((port) => `${source.match} ${port}`.trim()),
    )
  })
}

function peerMatches(cluster: Cluster, peer: Peer, namespace: string, field: 'saddr' | 'daddr') {
  if (peer.ipBlock !== undefined) {
    const except = peer.ipBlock.except ?? []
    if (peer.ipBlock.cidr.includes(':')) return []
    const without = except.length === 0 ? '' : ` ip ${field} != { ${except.join(', ')} }`
    return [{ match: `ip ${field} ${peer.ipBlock.cidr}${without}`, pods: [] }]
  }
  const isPeer = (pod: Pod) => {
    const own = cluster.namespaces.find(({ metadata }) => metadata.name === pod.metadata.namespace)
    const inNamespace =
      peer.namespaceSelector === undefined
        ? pod.metadata.namespace === namespace
        : matches(peer.namespaceSelector, own?.metadata.labels)
    return inNamespace && matches(peer.podSelector ?? {}, pod.metadata.labels)
  }
  return cluster.pods.filter(isPeer).map((pod) => ({ match: `ip ${field} ${pod.status.podIP}`, pods: [pod] }))
}

/** A port may have a name, which each pod defines for itself. */
function portMatches(ports: readonly Port[] | undefined, pods: readonly Pod[]): string[] {
  if (ports === undefined || ports.length === 0) return ['']
  return ports.flatMap(({ protocol = 'TCP', port, endPort }) => {
    const match = (value: number | string) => `${protocol.toLowerCase()} dport ${value}`
    if (port === undefined) return [`meta l4proto ${protocol.toLowerCase()}`]
    if (typeof port === 'number') return [match(endPort === undefined ? port : `${port}-${endPort}`)]
    const named = pods.flatMap(({ spec }) => spec.containers).flatMap((container) => container.ports ?? [])
    return named.filter(({ name }) => name === port).map(({ containerPort }) => match(containerPort))
  })
}

function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels = {}): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      return values.includes(value ?? '') === (operator === 'In')
    })
  )
}
