import { readFileSync } from 'node:fs'
import { goProgram } from '../fetch/go.ts'
import type { PostgresServer } from '../postgres/server.ts'
import { until } from '../until.ts'
import type { Cluster } from './cluster.ts'
import { command } from './command.ts'
import { STOREY_IMAGE } from './storey-image.ts'

const HELM = { module: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' }
export const HELM_VERSION = HELM.version.slice(1)
const NAME = 'storey'
const SELECTOR = 'app.kubernetes.io/name=storey,app.kubernetes.io/component=control-plane'
const LIMIT_MS = 240_000

export type Values = Record<string, unknown>

/** An installation of the chart in a namespace of its own, with two control planes. */
export interface ChartRelease {
  namespace: string
  /** The values that every installation needs. A caller adds further values, such as `settings`. */
  values: Values
  install(values: Values): Promise<void>
  upgrade(values: Values): Promise<void>
  uninstall(): Promise<void>
  /** The names of the pods of control planes, as `pod/…`. */
  pods(): Promise<string[]>
  kubectl(...args: string[]): Promise<string>
  operator(...args: string[]): Promise<string>
}

/** Creates the control database, and the namespace, which enforces the pod security standard "restricted". */
export async function createChartRelease(
  cluster: Cluster,
  database: PostgresServer,
  namespace: string,
  controlDatabase: string,
  authorities: readonly string[] = [],
): Promise<ChartRelease> {
  const { host } = cluster.addresses
  const program = goProgram(HELM.module, HELM.version)
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args])
  const pods = async () => {
    const printed = await kubectl('get', 'pod', '-l', SELECTOR, '-o', 'name')
    return printed.split('\n').filter((line) => line !== '')
  }
  await database.ask(`create database ${controlDatabase} owner storey encoding 'UTF8'`)
  await cluster.apply(
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'authority', namespace },
      data: { 'ca.crt': [readFileSync(database.authority.certificate, 'utf8'), ...authorities].join('') },
    },
  )
  async function helm(args: readonly string[], values?: Values): Promise<void> {
    const options = ['--kubeconfig', cluster.controlPlane.kubeconfig, '-n', namespace]
    await command(program, [...options, ...args], {
      ...(values === undefined ? {} : { input: JSON.stringify(values) }),
      limitMs: LIMIT_MS + 30_000,
    }).catch(async (err: Error) => {
      const log = await kubectl('logs', `deployment/${NAME}`, '--tail=40').catch(String)
      throw new Error(`${err.message}\n${await kubectl('describe', 'pods')}${log}`)
    })
  }
  const [repository, tag] = STOREY_IMAGE.split(':') as [string, string]
  const release = [NAME, 'deploy/helm/storey', '--values', '-', '--wait', '--timeout', `${LIMIT_MS / 1000}s`]
  return {
    ...{ namespace, pods, kubectl },
    values: {
      image: { repository, tag },
      secret: {
        masterSecret: 'a secret of this run, with 32 characters or more',
        databaseUrl: `postgres://storey:storey@${host}:${database.port}/${controlDatabase}?sslmode=verify-full`,
      },
      certificates: { configMap: 'authority' },
    },
    install: (values) => helm(['install', ...release], values),
    upgrade: (values) => helm(['upgrade', ...release], values),
    async uninstall() {
      await helm(['uninstall', NAME, '--wait'])
      await until('no pod is left', async () => (await pods()).length === 0, LIMIT_MS)
    },
    async operator(...args) {
      const [pod] = await pods()
      return (await kubectl('exec', pod!, '--', '/app/deploy/image/entrypoint.sh', 'operator', ...args)).trim()
    },
  }
}
