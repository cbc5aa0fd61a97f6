import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equal } from '../equal.ts'
import { EngineMissing } from '../fetch/cache.ts'
import { programOfRelease } from '../fetch/debian-release.ts'
import { until } from '../until.ts'
import { buildKubernetes, KUBERNETES_VERSION } from './build-kubernetes.ts'
import { type CommandOptions, command } from './command.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { packPauseImage } from './images.ts'
import { controlGroupsOf, type Machine, startMachine } from './machine.ts'
import { type Addresses, createNetwork } from './network.ts'
import { type Node, startNode } from './node.ts'
import { fetchNodePrograms } from './node-programs.ts'
import { kernelValues, remainsOf } from './remains.ts'

/** A real Kubernetes on this machine. */
export interface Cluster {
  version: string
  folder: string
  addresses: Addresses
  controlPlane: ControlPlane
  nodes: readonly (Node & { machine: Machine })[]
  kubectl(args: readonly string[], options?: CommandOptions): Promise<string>
  /** Creates or changes objects. */
  apply(...objects: readonly object[]): Promise<void>
  /** Imports an image on all nodes. `pack` creates its archive in the given folder. */
  load(pack: (folder: string) => Promise<string>): Promise<void>
}

/** The Debian release that has the etcd with which this Kubernetes was released, and a kubectl of the same minor version. */
const RELEASE = 'trixie'
const NODE_READY_LIMIT_MS = 120_000

/**
 * Starts the cluster. As soon as a part has started, `onEnd` gets the function that removes it, so that a failed start
 * leaves nothing.
 */
export async function startCluster(nodeCount: number, onEnd: (stop: () => unknown) => void): Promise<Cluster> {
  if (process.getuid?.() !== 0) throw new EngineMissing('a kubelet requires root')
  const programs = buildKubernetes()
  const nodePrograms = fetchNodePrograms()
  const etcd = programOfRelease(RELEASE, 'etcd', 'etcd-server').path
  const kubectlProgram = programOfRelease(RELEASE, 'kubectl').path
  const folder = mkdtempSync(join(tmpdir(), 'storey-cluster-'))
  const kernel = kernelValues()
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const network = await createNetwork(folder)
  onEnd(async () => {
    await network.remove()
    const remains = () => remainsOf(folder, { device: network.device, groups: controlGroupsOf(network) })
    await until('the kernel has removed everything of the cluster', () => remains().length === 0).catch(() => {
      throw new Error(`the cluster has left ${remains().join(', ')}`)
    })
    equal(kernelValues(), kernel, 'the kernel parameters')
  })
  const { addresses } = network
  const controlPlane = await startControlPlane({ folder, etcd, kubectl: kubectlProgram, programs, addresses })
  onEnd(() => controlPlane.remove())
  const nodes: (Node & { machine: Machine })[] = []
  for (let index = 1; index <= nodeCount; index++) {
    const machine = await startMachine({ folder, index, programs: nodePrograms }, network)
    onEnd(() => machine.remove())
    nodes.push({ machine, ...startNode(machine, controlPlane, programs, addresses) })
  }
  const images = join(folder, 'images')
  mkdirSync(images)
  const kubectl: Cluster['kubectl'] = (args, options) =>
    command(kubectlProgram, ['--kubeconfig', controlPlane.kubeconfig, ...args], options)
  const cluster: Cluster = {
    version: KUBERNETES_VERSION.slice(1),
    ...{ folder, addresses, controlPlane, nodes, kubectl },
    async apply(...objects) {
      const list = { apiVersion: 'v1', kind: 'List', items: objects }
      await kubectl(['apply', '--server-side', '-f', '-'], { input: JSON.stringify(list) })
    },
    async load(pack) {
      const archive = await pack(images)
      for (const { machine } of nodes) await machine.importImage(archive)
      rmSync(archive)
    },
  }
  await cluster.load(packPauseImage)
  for (const { name, kubelet } of nodes) {
    await until(
      `${name} is ready`,
      async () => {
        if (!kubelet.isRunning()) throw new Error(`the kubelet ended: ${kubelet.tail()}`)
        const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
        return (await kubectl(['get', 'node', name, '-o', path]).catch(() => '')) === 'True'
      },
      NODE_READY_LIMIT_MS,
    )
  }
  return cluster
}
