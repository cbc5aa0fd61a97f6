import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorsOf } from '../../acceptance/system/actors.ts'
import { freePort } from '../../acceptance/system/system.ts'
import { goProgram } from '../fetch/go.ts'
import { forwardPort } from '../forward-port.ts'
import type { PostgresServer } from '../postgres/server.ts'
import type { Suite } from '../suite.ts'
import { until } from '../until.ts'
import type { Cluster } from './cluster.ts'
import { command } from './command.ts'
import { objectsWithLabel } from './leftovers.ts'
import { readPoints, SANDBOX_LABEL } from './sandbox.ts'
import { STOREY_IMAGE } from './storey-image.ts'

const HELM = { module: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' }
const NAMESPACE = 'storey'
const SELECTOR = 'app.kubernetes.io/name=storey,app.kubernetes.io/component=control-plane'
const LIMIT_MS = 240_000

/** Control planes inside the cluster, installed by the chart: with the rights, probes and policies that it sets. */
export async function checkChart(suite: Suite, cluster: Cluster, database: PostgresServer): Promise<void> {
  const { host } = cluster.addresses
  const helm = goProgram(HELM.module, HELM.version)
  suite.engine('helm', HELM.version.slice(1))
  await database.ask("create database inside owner storey encoding 'UTF8'")
  const port = await freePort()
  const inNamespace = (...args: string[]) => cluster.kubectl(['-n', NAMESPACE, ...args])
  const pods = async () => (await inNamespace('get', 'pod', '-l', SELECTOR, '-o', 'name')).trim().split('\n')

  await suite.check(
    'helm installs the chart, with two control planes, in a namespace that is "restricted"',
    async () => {
      const enforced = { 'pod-security.kubernetes.io/enforce': 'restricted' }
      const authority = readFileSync(database.authority.certificate, 'utf8')
      await cluster.apply(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: enforced } },
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'authority', namespace: NAMESPACE },
          data: { 'ca.crt': authority },
        },
      )
      const [repository, tag] = STOREY_IMAGE.split(':') as [string, string]
      const values = {
        image: { repository, tag },
        publicUrl: `http://localhost:${port}`,
        baseDomain: 'localhost',
        secret: {
          masterSecret: 'a secret of this run, with 32 characters or more',
          databaseUrl: `postgres://storey:storey@${host}:${database.port}/inside?sslmode=verify-full`,
        },
        certificates: { configMap: 'authority' },
        sandboxes: { egress: [`${host}/32:${database.port}`] },
        settings: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0' },
      }
      const from = performance.now()
      const args = [
        'install',
        'storey',
        'deploy/helm/storey',
        '-n',
        NAMESPACE,
        '--values',
        '-',
        '--wait',
        '--timeout',
        '4m',
      ]
      await command(helm, ['--kubeconfig', cluster.controlPlane.kubeconfig, ...args], {
        input: JSON.stringify(values),
        limitMs: LIMIT_MS + 30_000,
      }).catch(async (err: Error) => {
        const log = await inNamespace('logs', 'deployment/storey', '--tail=40').catch(String)
        throw new Error(`${err.message}\n${await inNamespace('describe', 'pods')}${log}`)
      })
      return `${(await pods()).length} pods ready after ${((performance.now() - from) / 1000).toFixed(1)} s`
    },
  )
  const address = await inNamespace('get', 'service', 'storey', '-o', 'jsonpath={.spec.clusterIP}')
  const forward = await forwardPort(port, { host: address, port: 80 })
  suite.onEnd(() => forward.close())
  const operator = async (...args: string[]) => {
    const [pod] = await pods()
    return (await inNamespace('exec', pod!, '--', '/app/deploy/image/entrypoint.sh', 'operator', ...args)).trim()
  }
  const { api, newDeveloper, newSandbox } = actorsOf({ url: `http://localhost:${port}`, env: {} }, operator)
  const { key } = await newDeveloper()

  const { record, connection } = await newSandbox(key)
  const answers = async () => (await readPoints(connection).catch(() => ({ status: 0 }))).status === 200
  const untilAnswers = async () => {
    const waited = await until('it answers', () => answers().then((is) => is || sleep(100).then(() => false)), LIMIT_MS)
    return `answers after ${waited.toFixed(1)} s`
  }
  await suite.check('a sandbox is created with the rights of the service account, and read', untilAnswers)
  await suite.check('a control plane is deleted, and the sandbox is still served', async () => {
    const [pod] = await pods()
    await inNamespace('delete', pod!, '--wait=true')
    return await untilAnswers()
  })
  await suite.check('the sandbox is deleted, and nothing is left', async () => {
    assert.ok((await api(key, `/api/v1/sandboxes/${record.sandboxId}`, { method: 'DELETE' })).status < 300)
    await until('no object is left in the cluster', async () => {
      return (await objectsWithLabel(cluster, `${SANDBOX_LABEL}=${record.sandboxId}`)).length === 0
    })
  })
  await suite.check('helm removes the installation, except the namespace of sandboxes', async () => {
    await command(helm, [
      '--kubeconfig',
      cluster.controlPlane.kubeconfig,
      'uninstall',
      'storey',
      '-n',
      NAMESPACE,
      '--wait',
    ])
    await until('no pod is left', async () => (await pods()).join('') === '', LIMIT_MS)
  })
}
