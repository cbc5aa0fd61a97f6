import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../acceptance/system/system.ts'
import { createAuthority } from '../certificates.ts'
import { until } from '../until.ts'
import type { KubernetesProgram } from './build-kubernetes.ts'
import { type Child, startChild } from './child.ts'
import { command } from './command.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import type { Addresses } from './network.ts'

/** The control plane of Kubernetes, not of Storey: etcd, API server, controllers and scheduler, on this machine. */
export interface ControlPlane {
  /** The address of the API server. */
  server: string
  /** The path of a configuration for a client with all rights. */
  kubeconfig: string
  authority: ReturnType<typeof createAuthority>
  stopApiServer(): Promise<void>
  startApiServer(): Promise<void>
  remove(): Promise<void>
}

const READY_LIMIT_MS = 120_000

export async function startControlPlane(options: {
  folder: string
  etcd: string
  kubectl: string
  programs: Record<KubernetesProgram, string>
  addresses: Addresses
}): Promise<ControlPlane> {
  const { programs, addresses } = options
  const folder = join(options.folder, 'control-plane')
  mkdirSync(folder)
  const authority = createAuthority(folder, 'Cluster')
  const children = new Map<string, Child>()
  const run = (name: string, program: string, args: readonly string[]) => {
    const child = startChild(program, args, { log: join(folder, `${name}.log`) })
    children.set(name, child)
    return child
  }

  const etcdUrl = `http://127.0.0.1:${await freePort()}`
  const peerUrl = `http://127.0.0.1:${await freePort()}`
  run('etcd', options.etcd, [
    ...['--data-dir', join(folder, 'etcd'), '--name', 'etcd', '--unsafe-no-fsync'],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `etcd=${peerUrl}`],
  ])

  const port = await freePort()
  const server = `https://${addresses.host}:${port}`
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  const serving = authority.issue('api-server', [...names, addresses.host, addresses.apiService])
  const kubeletClient = authority.issueClient('kubelet-client', 'kube-apiserver', 'system:masters')
  const accountKey = join(folder, 'service-accounts.key')
  await command('openssl', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', accountKey])
  const kubeconfigOf = (user: string, group: string) =>
    writeKubeconfig(join(folder, `${user.replaceAll(':', '-')}.kubeconfig`), { server, authority, user, group })
  const kubeconfig = kubeconfigOf('admin', 'system:masters')

  async function startApiServer(): Promise<void> {
    const child = run('kube-apiserver', programs['kube-apiserver'], [
      ...['--etcd-servers', etcdUrl, '--service-cluster-ip-range', addresses.services],
      ...['--bind-address', addresses.host, '--advertise-address', addresses.host, '--secure-port', `${port}`],
      ...['--tls-cert-file', serving.certificate, '--tls-private-key-file', serving.key],
      ...['--client-ca-file', authority.certificate, '--authorization-mode', 'Node,RBAC'],
      ...['--enable-admission-plugins', 'NodeRestriction'],
      ...['--service-account-issuer', 'https://kubernetes.default.svc.cluster.local'],
      ...['--service-account-key-file', accountKey, '--service-account-signing-key-file', accountKey],
      ...['--kubelet-client-certificate', kubeletClient.certificate, '--kubelet-client-key', kubeletClient.key],
      ...['--kubelet-certificate-authority', authority.certificate],
      ...['--kubelet-preferred-address-types', 'InternalIP', '--allow-privileged'],
    ])
    await until(
      'the API server is ready',
      async () => {
        if (!child.isRunning()) throw new Error(`the API server ended: ${child.tail()}`)
        return await command(options.kubectl, ['--kubeconfig', kubeconfig, 'get', '--raw', '/readyz']).then(
          (text) => text === 'ok',
          () => false,
        )
      },
      READY_LIMIT_MS,
    )
  }
  await startApiServer()

  const managerConfig = kubeconfigOf('system:kube-controller-manager', 'system:kube-controller-manager')
  run('kube-controller-manager', programs['kube-controller-manager'], [
    ...['--kubeconfig', managerConfig, '--use-service-account-credentials', '--leader-elect=false'],
    ...['--service-account-private-key-file', accountKey, '--root-ca-file', authority.certificate],
    ...['--secure-port', `${await freePort()}`, '--bind-address', '127.0.0.1'],
    // The defaults suit nodes that a network separates. Here a lost node is noticed within 20 seconds.
    ...['--node-monitor-grace-period', '20s', '--node-monitor-period', '2s'],
  ])
  run('kube-scheduler', programs['kube-scheduler'], [
    ...['--kubeconfig', kubeconfigOf('system:kube-scheduler', 'system:kube-scheduler'), '--leader-elect=false'],
    ...['--secure-port', `${await freePort()}`, '--bind-address', '127.0.0.1'],
  ])
  return {
    ...{ server, kubeconfig, authority, startApiServer },
    stopApiServer: () => children.get('kube-apiserver')!.stop(),
    async remove() {
      for (const child of [...children.values()].reverse()) await child.stop()
    },
  }
}
