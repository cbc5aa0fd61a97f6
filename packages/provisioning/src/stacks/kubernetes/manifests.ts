import { type SeedConfig, type ServeConfig, STACK_CONFIG_VARIABLE } from '@storey/contract'
import { COMPONENT_LABEL, installationLabels, ORGANIZATION_LABEL, SANDBOX_LABEL, SEED, STACK } from './labels.ts'

export interface Resources {
  requests: Record<string, string>
  limits: Record<string, string>
}

/** How the pods of sandboxes run. */
export interface PodSettings {
  /** The image of this service, which also has the program of stacks. */
  image: string
  pullSecrets: readonly string[]
  nodeSelector: Readonly<Record<string, string>>
  resources: Resources
  /** How many pods serve a stack. */
  replicas: number
  /** The size limit of the files of a stack, such as uploaded models. */
  filesLimit: string
  /** The memory limit of the process inside the container. It must be below the memory limit of the container. */
  memoryLimitMb: number
  environment: Readonly<Record<string, string>>
  /** Certificates, as text, that stacks trust in addition to those that Node.js trusts. */
  certificates?: string | undefined
  /** The ports of a stack in its pod. */
  ports?: { http: number; control: number }
}

export interface NetworkSettings {
  /** The namespace of the control plane, if it runs in the same cluster. */
  controlNamespace: string | undefined
  /** Networks of control planes outside the cluster. */
  controlRanges: readonly string[]
  /** Private networks that stacks may connect to, such as that of the database, each with an optional port. */
  egress: readonly { range: string; port?: number }[]
  /** Networks that pods may not connect to unless `egress` lists them, because no webhook may be sent there. */
  deniedRanges: readonly string[]
}

export const PORTS = { http: 8080, control: 8081 }
const FILES = '/data'
const TEMPORARY = '/tmp'
const CONFIG = '/etc/storey'
/** Kubernetes reads the last message of a container from this file. */
const LAST_MESSAGE_FILE = '/dev/termination-log'
/**
 * The longest time that a stack may take to stop. It first completes requests, deliveries and observations in progress.
 */
const GRACE_SECONDS = 20
/**
 * How long a replica still serves requests after SIGTERM. The control planes learn well within this time that the
 * replica is stopping.
 */
const STOP_DELAY_MS = 1_500
const SEED_LIMIT_SECONDS = 15 * 60

/**
 * Addresses that are not public. Of these, pods may connect only to those that `NetworkSettings.egress` lists, and to
 * the DNS of the cluster.
 */
const PRIVATE_RANGES = {
  '0.0.0.0/0': ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  '::/0': ['::1/128', 'fc00::/7', 'fe80::/10'],
}

/** The name of the objects of a sandbox. Names in Kubernetes have no underscore. */
export const nameOf = (sandboxId: string): string => sandboxId.replace('_', '-')
export const seedNameOf = (sandboxId: string): string => `${nameOf(sandboxId)}-seed`

/**
 * Adapts the configuration of a process to a pod: adds where it listens, and leaves out what is valid only on the
 * machine of the control plane.
 */
function podConfig<T extends SeedConfig | ServeConfig>(config: T, ports: typeof PORTS, hasReplicas: boolean): T {
  const { clockAnchor: _, serviceRun: __, ...rest } = config as ServeConfig
  return {
    ...rest,
    control: { host: '0.0.0.0', port: ports.control, lastMessageFile: LAST_MESSAGE_FILE },
    ...('apiUrl' in config ? { listen: { host: '0.0.0.0', port: ports.http } } : {}),
    ...('apiUrl' in config && hasReplicas ? { stopDelayMs: STOP_DELAY_MS } : {}),
  } as unknown as T
}

export function createManifests({ installation, pods }: { installation: string; pods: PodSettings }) {
  const ports = pods.ports ?? PORTS
  const hasReplicas = pods.replicas > 1
  const labelsOf = (config: Pick<SeedConfig, 'sandboxId' | 'organizationId'>, component: string) => ({
    ...installationLabels(installation),
    [COMPONENT_LABEL]: component,
    [SANDBOX_LABEL]: config.sandboxId,
    [ORGANIZATION_LABEL]: config.organizationId,
  })
  const selectorFor = (sandboxId: string, component: string) => ({
    [SANDBOX_LABEL]: sandboxId,
    [COMPONENT_LABEL]: component,
  })

  function secret(name: string, config: SeedConfig | ServeConfig, component: string) {
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels: labelsOf(config, component) },
      type: 'Opaque',
      data: {
        config: base64(JSON.stringify(podConfig(config, ports, hasReplicas))),
        ...(pods.certificates === undefined ? {} : { 'ca.crt': base64(pods.certificates) }),
      },
    }
  }

  /** Pods of one stack run on different nodes, if possible. */
  const spread = (sandboxId: string) => [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: selectorFor(sandboxId, STACK) },
    },
  ]

  function podTemplate(name: string, config: SeedConfig | ServeConfig, component: typeof STACK | typeof SEED) {
    const isStack = component === STACK
    const probe = { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' } }
    return {
      metadata: { labels: labelsOf(config, component) },
      spec: {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        restartPolicy: isStack ? 'Always' : 'Never',
        terminationGracePeriodSeconds: isStack ? GRACE_SECONDS : 1,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          runAsGroup: 1000,
          fsGroup: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        ...(pods.pullSecrets.length === 0 ? {} : { imagePullSecrets: pods.pullSecrets.map((name) => ({ name })) }),
        ...(Object.keys(pods.nodeSelector).length === 0 ? {} : { nodeSelector: pods.nodeSelector }),
        ...(isStack && hasReplicas ? { topologySpreadConstraints: spread(config.sandboxId) } : {}),
        // A stack is started on another node soon after its node is lost.
        tolerations: ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
          ...{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
        })),
        containers: [
          {
            name: component,
            image: pods.image,
            imagePullPolicy: 'IfNotPresent',
            args: [isStack ? 'serve' : 'seed'],
            workingDir: FILES,
            env: [
              ...Object.entries(pods.environment).map(([name, value]) => ({ name, value })),
              ...(pods.certificates === undefined ? [] : [{ name: 'NODE_EXTRA_CA_CERTS', value: `${CONFIG}/ca.crt` }]),
              { name: 'STACK_MEMORY_MB', value: String(pods.memoryLimitMb) },
              { name: STACK_CONFIG_VARIABLE, valueFrom: { secretKeyRef: { name, key: 'config' } } },
            ],
            ports: [
              ...(isStack ? [{ name: 'http', containerPort: ports.http, protocol: 'TCP' }] : []),
              { name: 'control', containerPort: ports.control, protocol: 'TCP' },
            ],
            ...(isStack
              ? {
                  startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 120 },
                  readinessProbe: { ...probe, periodSeconds: 5, timeoutSeconds: 5 },
                  livenessProbe: { ...probe, periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 6 },
                }
              : {}),
            resources: pods.resources,
            terminationMessagePath: LAST_MESSAGE_FILE,
            terminationMessagePolicy: 'File',
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [
              { name: 'files', mountPath: FILES },
              { name: 'temporary', mountPath: TEMPORARY },
              ...(pods.certificates === undefined ? [] : [{ name: 'certificates', mountPath: CONFIG, readOnly: true }]),
            ],
          },
        ],
        volumes: [
          { name: 'files', emptyDir: { sizeLimit: pods.filesLimit } },
          { name: 'temporary', emptyDir: { sizeLimit: '64Mi' } },
          ...(pods.certificates === undefined
            ? []
            : [{ name: 'certificates', secret: { secretName: name, items: [{ key: 'ca.crt', path: 'ca.crt' }] } }]),
        ],
      },
    }
  }

  return {
    stackSecret: (config: ServeConfig) => secret(nameOf(config.sandboxId), config, STACK),
    seedSecret: (config: SeedConfig) => secret(seedNameOf(config.sandboxId), config, SEED),

    deployment: (config: ServeConfig) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: nameOf(config.sandboxId), labels: labelsOf(config, STACK) },
      spec: {
        replicas: pods.replicas,
        revisionHistoryLimit: 0,
        // Two versions of a stack never run at the same time.
        strategy: { type: 'Recreate' },
        selector: { matchLabels: selectorFor(config.sandboxId, STACK) },
        template: podTemplate(nameOf(config.sandboxId), config, STACK),
      },
    }),

    /**
     * When nodes are drained, the replicas are evicted one at a time. The budget is removed with the deployment that
     * owns it.
     */
    disruptionBudget: (config: ServeConfig, owner: { name: string; uid: string }) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: {
        name: nameOf(config.sandboxId),
        labels: labelsOf(config, STACK),
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', ...owner }],
      },
      spec: {
        maxUnavailable: 1,
        // Pods that are not ready do not keep a node from being drained.
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: { matchLabels: selectorFor(config.sandboxId, STACK) },
      },
    }),

    /**
     * The service is headless: it has no address of its own. It needs none, because the gateway connects to the pods,
     * and many sandboxes would need many addresses.
     */
    service: (config: ServeConfig) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: nameOf(config.sandboxId), labels: labelsOf(config, STACK) },
      spec: {
        clusterIP: 'None',
        selector: selectorFor(config.sandboxId, STACK),
        ports: [{ name: 'http', port: ports.http, targetPort: 'http', protocol: 'TCP' }],
      },
    }),

    job: (config: SeedConfig) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: seedNameOf(config.sandboxId), labels: labelsOf(config, SEED) },
      spec: {
        // The control plane decides about another attempt, because each attempt needs an empty database.
        backoffLimit: 0,
        activeDeadlineSeconds: SEED_LIMIT_SECONDS,
        ttlSecondsAfterFinished: 3600,
        template: podTemplate(seedNameOf(config.sandboxId), config, SEED),
      },
    }),

    namespace: (name: string, config: Pick<SeedConfig, 'sandboxId' | 'organizationId'>) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        labels: {
          ...labelsOf(config, 'namespace'),
          'pod-security.kubernetes.io/enforce': 'restricted',
          'pod-security.kubernetes.io/warn': 'restricted',
        },
      },
    }),

    /** One policy applies to all sandboxes of a namespace. */
    networkPolicy: (network: NetworkSettings) => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: `storey-sandboxes-${installation}`, labels: installationLabels(installation) },
      spec: networkPolicySpec(installation, network, ports),
    }),
  }
}

function networkPolicySpec(installation: string, network: NetworkSettings, ports: typeof PORTS) {
  const tcp = (port: number) => ({ protocol: 'TCP', port })
  const controlPlanes = [
    ...(network.controlNamespace === undefined
      ? []
      : [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': network.controlNamespace } },
            podSelector: { matchLabels: { 'app.kubernetes.io/name': 'storey', [COMPONENT_LABEL]: 'control-plane' } },
          },
        ]),
    ...network.controlRanges.map((cidr) => ({ ipBlock: { cidr } })),
  ]
  const isV6 = (range: string) => range.includes(':')
  return {
    podSelector: {
      matchLabels: installationLabels(installation),
      matchExpressions: [{ key: COMPONENT_LABEL, operator: 'In', values: [STACK, SEED] }],
    },
    policyTypes: ['Ingress', 'Egress'],
    // An empty list of sources would mean all sources.
    ingress: controlPlanes.length === 0 ? [] : [{ from: controlPlanes, ports: [tcp(ports.http), tcp(ports.control)] }],
    egress: [
      {
        to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
        ports: [{ protocol: 'UDP', port: 53 }, tcp(53)],
      },
      ...network.egress.map(({ range, port }) => ({
        to: [{ ipBlock: { cidr: range } }],
        ...(port === undefined ? {} : { ports: [tcp(port)] }),
      })),
      {
        to: Object.entries(PRIVATE_RANGES).map(([cidr, except]) => ({
          ipBlock: { cidr, except: [...except, ...network.deniedRanges.filter((one) => isV6(one) === isV6(cidr))] },
        })),
      },
    ],
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
