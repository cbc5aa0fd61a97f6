import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { VERSION } from '@storey/contract'
import { readKubernetesSettings } from '../packages/host/src/kubernetes-settings.ts'
import { readSettings } from '../packages/host/src/settings.ts'
import { SettingsReader } from '../packages/kit/src/config.ts'
import { EngineMissing } from './fetch/cache.ts'
import { goProgram } from './fetch/go.ts'
import { runSuite } from './suite.ts'

/** Checks the chart with helm: its rules, what it renders, and that the control plane accepts the settings it sets. */

const HELM = { module: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' }
const CHART = 'deploy/helm/storey'
/** A helm that is built from its sources assumes an old version of Kubernetes. */
const TEMPLATE = ['template', 'storey', CHART, '--namespace', 'storey', '--kube-version', '1.32.0']
const REQUIRED = [
  'secret.masterSecret=0123456789012345678901234567890123',
  'secret.databaseUrl=postgres://storey@db/storey',
]
const EVERYTHING = [
  ...REQUIRED,
  'ingress.enabled=true',
  'ingress.tlsSecret=wildcard',
  'gateway.enabled=true',
  'gateway.name=public',
  'autoscaling.enabled=true',
  'serviceMonitor.enabled=true',
  'mqtt.enabled=true',
  'certificates.configMap=authority',
  'image.pullSecrets={registry}',
  'sandboxes.egress={10.0.3.0/24:5432,10.0.4.0/24:4222}',
  'sandboxes.nodeSelector.pool=sandboxes',
  'sandboxes.resources.limits.cpu=2',
  'sandboxes.replicas=3',
  'secret.natsUrl=nats://nats:4222',
]

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind.
type Manifest = any

await runSuite('helm', async (suite) => {
  const helm = goProgram(HELM.module, HELM.version)
  const run = (...args: string[]) => spawnSync(helm, args, { encoding: 'utf8' })
  suite.engine('helm', run('version', '--template', '{{.Version}}').stdout)

  function render(values: readonly string[]): Manifest[] {
    const sets = values.flatMap((value) => ['--set', value])
    const { status, stdout, stderr } = run(...TEMPLATE, ...sets)
    assert.equal(status, 0, stderr)
    return parse(stdout)
  }
  /** Parses YAML documents with Python, since Node has no YAML parser. */
  function parse(text: string): Manifest[] {
    const script = `import sys, json, yaml\nprint(json.dumps([one for one in yaml.safe_load_all(sys.stdin) if one]))`
    const { status, stdout, stderr } = spawnSync('python3', ['-c', script], { input: text, encoding: 'utf8' })
    if (status !== 0) throw new EngineMissing(`python3 with PyYAML is required to read YAML: ${stderr.trim()}`)
    return JSON.parse(stdout)
  }
  const find = (all: Manifest[], kind: string) => all.find((one) => one.kind === kind)
  const kinds = (all: Manifest[]) => [...new Set(all.map(({ kind }) => kind))].sort()

  await suite.check('helm lint, strict', async () => {
    for (const values of [REQUIRED, EVERYTHING]) {
      const { status, stdout, stderr } = run('lint', '--strict', CHART, ...values.flatMap((value) => ['--set', value]))
      assert.equal(status, 0, stdout + stderr)
    }
  })
  await suite.check('values that are missing or unknown are refused', async () => {
    for (const [values, text] of [
      [[], /masterSecret is required/],
      [[...REQUIRED, 'replica=3'], /replica/],
      [[...REQUIRED, 'replicas=many'], /replicas/],
      [[...REQUIRED, 'sandboxes.replicas=0'], /replicas/],
      [[...REQUIRED, 'gateway.enabled=true'], /gateway.name is required/],
    ] as const) {
      const { status, stderr } = run(...TEMPLATE, ...values.flatMap((value) => ['--set', value]))
      assert.notEqual(status, 0)
      assert.match(stderr, text)
    }
  })
  await suite.check('renders only what is enabled', async () => {
    assert.deepEqual(kinds(render(REQUIRED)), [
      ...[
        'Deployment',
        'Namespace',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'Role',
        'RoleBinding',
        'Secret',
        'Service',
      ],
      'ServiceAccount',
    ])
    const more = ['HTTPRoute', 'HorizontalPodAutoscaler', 'Ingress', 'ServiceMonitor']
    assert.deepEqual(
      more.filter((kind) => !kinds(render(EVERYTHING)).includes(kind)),
      [],
    )
  })
  await suite.check('serves the host of the portal and all hosts of sandboxes', async () => {
    const all = render(EVERYTHING)
    const hosts = ['storey.example.com', '*.storey.example.com']
    assert.deepEqual(
      find(all, 'Ingress').spec.rules.map(({ host }: Manifest) => host),
      hosts,
    )
    assert.deepEqual(find(all, 'Ingress').spec.tls[0].hosts, hosts)
    assert.deepEqual(find(all, 'HTTPRoute').spec.hostnames, hosts)
    const [hsts] = find(all, 'HTTPRoute').spec.rules[0].filters
    assert.equal(hsts.responseHeaderModifier.set[0].value, 'max-age=86400')
    const without = render([...EVERYTHING, 'gateway.hstsMaxAge=0'])
    assert.equal(find(without, 'HTTPRoute').spec.rules[0].filters, undefined)
  })
  await suite.check('the control plane accepts the settings of the chart', async () => {
    for (const values of [REQUIRED, EVERYTHING]) {
      const all = render(values)
      const [container] = find(all, 'Deployment').spec.template.spec.containers
      const env = Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value]))
      const environment = { ...env, ...find(all, 'Secret').stringData, KUBERNETES_SERVICE_HOST: '10.96.0.1' }
      if (environment.NODE_EXTRA_CA_CERTS) environment.NODE_EXTRA_CA_CERTS = 'package.json'
      const settings = readSettings(environment)
      assert.equal(settings.mode, 'production')
      assert.equal(settings.kubernetes?.image, `storey:${VERSION}`)
      assert.equal(settings.metricsHost, '0.0.0.0')
    }
  })
  await suite.check('docs/kubernetes.md lists every permission, with exactly its verbs', async () => {
    const documented = readFileSync('docs/kubernetes.md', 'utf8')
    const { rules } = find(render(REQUIRED), 'Role')
    for (const { resources, verbs } of rules as { resources: string[]; verbs: string[] }[])
      for (const resource of resources) {
        const row = documented.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${resource}\``))
        assert.ok(row, `docs/kubernetes.md has no row for ${resource}`)
        const [, , cell = ''] = row.split('|')
        assert.deepEqual(
          [...cell.matchAll(/`(\w+)`/g)].map(([, verb]) => verb),
          verbs,
          resource,
        )
      }
    assert.equal(find(render([...REQUIRED, 'sandboxes.perSandbox=true']), 'ClusterRole').rules.length, rules.length + 1)
  })
  await suite.check('control planes are restricted, and the network policy of stacks selects them', async () => {
    const { metadata, spec } = find(render(REQUIRED), 'Deployment').spec.template
    assert.equal(metadata.labels['app.kubernetes.io/name'], 'storey')
    assert.equal(metadata.labels['app.kubernetes.io/component'], 'control-plane')
    assert.equal(spec.securityContext.runAsNonRoot, true)
    assert.equal(spec.securityContext.seccompProfile.type, 'RuntimeDefault')
    assert.deepEqual(spec.containers[0].securityContext, {
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    })
  })
  await suite.check('every value is explained in its README', async () => {
    const readme = readFileSync(`${CHART}/README.md`, 'utf8')
    const [values] = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'))
    const missing = namesOf(values).filter((name) => !readme.includes(`\`${name}\``))
    assert.deepEqual(missing, [])
  })
  await suite.check('values for the pods of sandboxes have the defaults of the settings', async () => {
    const reader = new SettingsReader({ KUBERNETES_IMAGE: 'x', KUBERNETES_API_URL: 'https://x' })
    const [values] = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'))
    const { resources, filesLimit, namespace, replicas } = readKubernetesSettings(reader)
    assert.deepEqual(
      { resources, filesLimit, namespace, replicas },
      {
        ...{ resources: values.sandboxes.resources, filesLimit: values.sandboxes.filesLimit },
        ...{ namespace: values.sandboxes.namespace, replicas: values.sandboxes.replicas },
      },
    )
  })
})

/** The names of all values, such as `ingress.enabled`. Objects that users fill are one value. */
function namesOf(values: Record<string, unknown>, prefix = ''): string[] {
  const isGroup = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  return Object.entries(values).flatMap(([name, value]) => {
    const isLeaf = !isGroup(value) || ['resources', 'annotations'].includes(name)
    return isLeaf ? [prefix + name] : namesOf(value as Record<string, unknown>, `${prefix}${name}.`)
  })
}
