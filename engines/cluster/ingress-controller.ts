import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAuthority } from '../certificates.ts'
import { goMainModule, goModule } from '../fetch/go.ts'
import type { Cluster } from './cluster.ts'
import { packProgram } from './images.ts'
import { BASE_DOMAIN, PUBLIC_HOST } from './ingress-names.ts'

const TRAEFIK = { module: 'github.com/traefik/traefik/v3', version: 'v3.6.12' }
/** The release of the Gateway API that this Traefik was built with. */
export const GATEWAY_API = { module: 'sigs.k8s.io/gateway-api', version: 'v1.4.0' }
const IMAGE = 'localhost/storey/traefik:1'

export const INGRESS_NAMESPACE = 'ingress'
export const INGRESS_CLASS = 'traefik'
/** A Gateway, and its listener for https. */
export const GATEWAY = { name: 'public', namespace: INGRESS_NAMESPACE, sectionName: 'https' }
/** The Secret with the certificate of the public host and of the hosts of all sandboxes. */
export const TLS_SECRET = 'wildcard'

const NAME = 'traefik'
const LABELS = { app: NAME }
const PORTS = { http: 8_000, https: 8_443, ping: 8_080 }
/** The port on which the pods of Traefik accept https. */
export const CONTROLLER_PORT = PORTS.https

/** The settings that docs/kubernetes.md gives for Traefik. */
const ARGUMENTS = [
  '--entryPoints.websecure.transport.respondingTimeouts.readTimeout=0s',
  '--serversTransport.forwardingTimeouts.idleConnTimeout=60s',
]

export interface IngressController {
  version: string
  /** The certificate of the authority that clients trust. */
  ca: string
  caFile: string
  /** A Secret with the certificate, for a namespace. */
  tlsSecret(namespace: string): object
}

/**
 * Starts Traefik on every node, for Ingress and the Gateway API. It terminates TLS at port 443 of the nodes, and sees the
 * address of its clients, because a node passes connections only to its own pod and not to another node.
 */
export async function startIngressController(cluster: Cluster): Promise<IngressController> {
  const program = goMainModule(TRAEFIK.module, TRAEFIK.version, NAME, {
    program: './cmd/traefik',
    variables: { 'github.com/traefik/traefik/v3/pkg/version.Version': TRAEFIK.version.slice(1) },
  })
  await cluster.load((folder) => packProgram(folder, IMAGE, program, { User: '65532:65532' }))
  const definitions = join(goModule(GATEWAY_API.module, GATEWAY_API.version), 'config', 'crd', 'standard')
  await cluster.kubectl(['apply', '--server-side', '-f', definitions])
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  const authority = createAuthority(cluster.folder, 'Ingress')
  const { certificate, key } = authority.issue(TLS_SECRET, [PUBLIC_HOST, `*.${BASE_DOMAIN}`])
  const tlsSecret = (namespace: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: TLS_SECRET, namespace },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': readFileSync(certificate, 'utf8'), 'tls.key': readFileSync(key, 'utf8') },
  })
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: INGRESS_NAMESPACE } })
  await cluster.apply(tlsSecret(INGRESS_NAMESPACE), ...account(), daemon(), service(cluster), ...classes())
  await cluster.kubectl(['-n', INGRESS_NAMESPACE, 'rollout', 'status', `daemonset/${NAME}`, '--timeout=120s'])
  return {
    version: TRAEFIK.version.slice(1),
    ca: readFileSync(authority.certificate, 'utf8'),
    caFile: authority.certificate,
    tlsSecret,
  }
}

/** The rights that the documentation of Traefik lists. */
function account(): object[] {
  const read = ['get', 'list', 'watch']
  const gateway = 'gateway.networking.k8s.io'
  const kinds = ['gatewayclasses', 'gateways', 'httproutes', 'grpcroutes', 'referencegrants', 'backendtlspolicies']
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace: INGRESS_NAMESPACE } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: NAME },
      rules: [
        {
          apiGroups: [''],
          resources: ['services', 'secrets', 'nodes', 'configmaps', 'namespaces', 'pods'],
          verbs: read,
        },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
        { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: read },
        { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['update'] },
        { apiGroups: [gateway], resources: kinds, verbs: read },
        { apiGroups: [gateway], resources: kinds.map((kind) => `${kind}/status`), verbs: ['update'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: NAME },
      roleRef: role,
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: INGRESS_NAMESPACE }],
    },
  ]
}

function daemon(): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME, namespace: INGRESS_NAMESPACE },
    spec: {
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          serviceAccountName: NAME,
          containers: [
            {
              name: NAME,
              image: IMAGE,
              args: [
                `--entryPoints.web.address=:${PORTS.http}`,
                '--entryPoints.web.http.redirections.entryPoint.to=:443',
                `--entryPoints.websecure.address=:${PORTS.https}`,
                '--entryPoints.websecure.http.tls=true',
                `--entryPoints.ping.address=:${PORTS.ping}`,
                '--ping.entryPoint=ping',
                '--providers.kubernetesIngress=true',
                `--providers.kubernetesIngress.ingressClass=${INGRESS_CLASS}`,
                '--providers.kubernetesGateway=true',
                '--global.checkNewVersion=false',
                '--global.sendAnonymousUsage=false',
                '--log.level=INFO',
                ...ARGUMENTS,
              ],
              ports: Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort })),
              readinessProbe: { httpGet: { path: '/ping', port: PORTS.ping }, periodSeconds: 1 },
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '512Mi' } },
              securityContext: {
                ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true },
                ...{ runAsUser: 65_532, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
              },
            },
          ],
        },
      },
    },
  }
}

function service({ addresses, nodes }: Cluster): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAME, namespace: INGRESS_NAMESPACE },
    spec: {
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      externalIPs: nodes.map(({ machine }) => addresses.node(machine.index)),
      selector: LABELS,
      ports: [
        { name: 'http', port: 80, targetPort: PORTS.http },
        { name: 'https', port: 443, targetPort: PORTS.https },
      ],
    },
  }
}

function classes(): object[] {
  const gateway = 'gateway.networking.k8s.io/v1'
  // Traefik matches listeners with its own ports, and not with those of its Service.
  const listener = { port: PORTS.https, protocol: 'HTTPS', allowedRoutes: { namespaces: { from: 'All' } } }
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: INGRESS_CLASS },
      spec: { controller: 'traefik.io/ingress-controller' },
    },
    {
      apiVersion: gateway,
      kind: 'GatewayClass',
      metadata: { name: INGRESS_CLASS },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    },
    {
      apiVersion: gateway,
      kind: 'Gateway',
      metadata: { name: GATEWAY.name, namespace: GATEWAY.namespace },
      spec: {
        gatewayClassName: INGRESS_CLASS,
        listeners: [
          {
            name: GATEWAY.sectionName,
            ...listener,
            tls: { mode: 'Terminate', certificateRefs: [{ name: TLS_SECRET }] },
          },
        ],
      },
    },
  ]
}
