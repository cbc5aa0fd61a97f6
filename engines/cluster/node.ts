import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KubernetesProgram } from './build-kubernetes.ts'
import type { Child } from './child.ts'
import type { ControlPlane } from './control-plane.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import type { Machine } from './machine.ts'
import type { Addresses } from './network.ts'

/** The programs of Kubernetes on a node. */
export interface Node {
  name: string
  kubelet: Child
  proxy: Child
}

/** Starts the kubelet, which runs the pods of this machine, and kube-proxy, which implements the addresses of services. */
export function startNode(
  machine: Machine,
  controlPlane: ControlPlane,
  programs: Record<KubernetesProgram, string>,
  addresses: Addresses,
): Node {
  const { name, folder } = machine
  const { server, authority } = controlPlane
  const kubeletConfig = join(folder, 'kubelet.yaml')
  writeFileSync(kubeletConfig, JSON.stringify(kubeletSettings(machine, controlPlane, addresses), null, 2))
  const kubelet = machine.start('kubelet', programs.kubelet, [
    ...['--config', kubeletConfig, '--hostname-override', name, '--node-ip', addresses.node(machine.index)],
    ...[
      '--kubeconfig',
      writeKubeconfig(join(folder, 'kubelet.kubeconfig'), {
        ...{ server, authority, user: `system:node:${name}`, group: 'system:nodes' },
      }),
    ],
  ])
  const proxyConfig = join(folder, 'kube-proxy.yaml')
  const proxyAccess = writeKubeconfig(join(folder, 'kube-proxy.kubeconfig'), {
    ...{ server, authority, user: 'system:kube-proxy', group: 'system:node-proxier' },
  })
  writeFileSync(proxyConfig, JSON.stringify(proxySettings(name, proxyAccess, addresses), null, 2))
  return { name, kubelet, proxy: machine.start('kube-proxy', programs['kube-proxy'], ['--config', proxyConfig]) }
}

function kubeletSettings(
  { index, name, folder, controlGroup }: Machine,
  { authority }: ControlPlane,
  addresses: Addresses,
) {
  const serving = authority.issue(`kubelet-${name}`, [name, addresses.node(index)])
  const resolver = join(folder, 'resolv.conf')
  writeFileSync(resolver, '')
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: addresses.node(index),
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authority.certificate },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: serving.certificate,
    tlsPrivateKeyFile: serving.key,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: controlGroup.path,
    failCgroupV1: false,
    clusterDomain: 'cluster.local',
    clusterDNS: [addresses.dnsService],
    resolvConf: resolver,
    // There is no registry from which a removed image could be fetched again.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    nodeStatusUpdateFrequency: '5s',
    shutdownGracePeriod: '0s',
    enableServer: true,
  }
}

function proxySettings(name: string, kubeconfig: string, addresses: Addresses) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig },
    hostnameOverride: name,
    mode: 'nftables',
    clusterCIDR: addresses.pods,
    // The connection table belongs to the whole kernel, so kube-proxy must not change it: 0 leaves each value as it is.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
  }
}
