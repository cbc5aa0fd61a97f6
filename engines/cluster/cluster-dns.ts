import { goProgram } from '../fetch/go.ts'
import type { Cluster } from './cluster.ts'
import { packProgram } from './images.ts'
import { INGRESS_ZONE } from './ingress-names.ts'

const COREDNS = { module: 'github.com/coredns/coredns', version: 'v1.15.0' }
const IMAGE = 'localhost/storey/coredns:1'
const NAMESPACE = 'kube-system'
const NAME = 'coredns'
/** The label by which network policies select the DNS of a cluster. */
const LABELS = { 'k8s-app': 'kube-dns' }

/**
 * Starts the DNS of the cluster. Besides the names of services it resolves the names of the ingress, to the addresses
 * of all nodes, as the DNS of a company does.
 */
export async function startClusterDns(cluster: Cluster): Promise<string> {
  const program = goProgram(COREDNS.module, COREDNS.version)
  await cluster.load((folder) => packProgram(folder, IMAGE, program))
  await cluster.apply(...objects(cluster))
  await cluster.kubectl(['-n', NAMESPACE, 'rollout', 'status', `daemonset/${NAME}`, '--timeout=120s'])
  return COREDNS.version.slice(1)
}

function corefile({ addresses, nodes }: Cluster): string {
  const records = nodes.map(({ machine }) => `answer "{{ .Name }} 30 IN A ${addresses.node(machine.index)}"`)
  return `.:53 {
  errors
  ready :8181
  kubernetes cluster.local in-addr.arpa {
    pods insecure
  }
  template IN A ${INGRESS_ZONE} {
    ${records.join('\n    ')}
  }
  template IN AAAA ${INGRESS_ZONE} {
    rcode NOERROR
  }
}
`
}

function objects(cluster: Cluster): object[] {
  const metadata = { name: NAME, namespace: NAMESPACE }
  const role = {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    name: 'storey-coredns',
  }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role.name },
      rules: [
        { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role.name },
      roleRef: role,
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile: corefile(cluster) } },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata,
      spec: {
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS },
          spec: {
            serviceAccountName: NAME,
            // The DNS server must not depend on itself.
            dnsPolicy: 'Default',
            containers: [
              {
                name: NAME,
                image: IMAGE,
                args: ['-conf', '/etc/coredns/Corefile'],
                ports: [
                  { containerPort: 53, protocol: 'UDP' },
                  { containerPort: 53, protocol: 'TCP' },
                ],
                readinessProbe: { httpGet: { path: '/ready', port: 8_181 }, periodSeconds: 1 },
                resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { memory: '170Mi' } },
                volumeMounts: [{ name: 'config', mountPath: '/etc/coredns' }],
              },
            ],
            volumes: [{ name: 'config', configMap: { name: NAME } }],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: NAMESPACE, labels: LABELS },
      spec: {
        selector: LABELS,
        clusterIP: cluster.addresses.dnsService,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    },
  ]
}
