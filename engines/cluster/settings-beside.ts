import type { PostgresServer } from '../postgres/server.ts'
import type { Cluster } from './cluster.ts'
import { SANDBOX_LABEL } from './sandbox.ts'
import { STOREY_IMAGE } from './storey-image.ts'

/** All databases and roles of all installations, except the control databases and their roles. */
export const REMAINS =
  "select datname as name from pg_database where datname like 'storey\\_%' union all select rolname from pg_roles where rolname like 'storey\\_%' order by 1"

/** The namespace of the sandboxes of an installation. */
export const namespaceOf = (installation: string) => `storey-${installation}`

/** A field of each pod that serves a sandbox. `field` is a JSONPath expression of kubectl. */
export async function podsOf(cluster: Cluster, sandboxId: string, field: string): Promise<string[]> {
  const path = `jsonpath={range .items[*]}{${field}}{"\\n"}{end}`
  const labels = `${SANDBOX_LABEL}=${sandboxId},app.kubernetes.io/component=stack`
  const printed = await cluster.kubectl(['get', 'pods', '-A', '-l', labels, '-o', path])
  return printed.split('\n').filter((line) => line !== '')
}

/** Settings of a control plane beside the cluster, with a namespace and a control database of its own. */
export async function settingsBeside(
  cluster: Cluster,
  database: PostgresServer,
  installation: string,
  furtherPorts: readonly number[] = [],
): Promise<Record<string, string>> {
  const { addresses, controlPlane } = cluster
  const { certificate, key } = controlPlane.authority.issueClient(`storey-${installation}`, 'storey', 'system:masters')
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespaceOf(installation), labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  })
  await database.ask(`create database ${installation} owner storey encoding 'UTF8'`)
  return {
    STACK_RUNTIME: 'kubernetes',
    KUBERNETES_IMAGE: STOREY_IMAGE,
    KUBERNETES_NAMESPACE: namespaceOf(installation),
    KUBERNETES_API_URL: controlPlane.server,
    KUBERNETES_CA_FILE: controlPlane.authority.certificate,
    KUBERNETES_CERTIFICATE_FILE: certificate,
    KUBERNETES_KEY_FILE: key,
    KUBERNETES_CONTROL_RANGES: `${addresses.host}/32`,
    KUBERNETES_EGRESS: [database.port, ...furtherPorts].map((port) => `${addresses.host}/32:${port}`).join(','),
    DATABASE_URL: `postgres://storey:storey@${addresses.host}:${database.port}/${installation}?sslmode=verify-full`,
    NODE_EXTRA_CA_CERTS: database.authority.certificate,
    RATE_LIMIT_PER_MINUTE: '0',
    PROVISIONING_RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'info',
  }
}
