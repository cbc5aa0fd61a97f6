import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../until.ts'
import { type Child, startChild } from './child.ts'
import type { CommandOptions } from './command.ts'
import { type ControlGroup, createControlGroup } from './control-groups.ts'
import { type Namespaces, startNamespaces } from './namespaces.ts'
import type { Network } from './network.ts'
import type { NodePrograms } from './node-programs.ts'

/** A machine that consists of namespaces, with containerd. To Kubernetes it is a node. */
export interface Machine {
  name: string
  index: number
  folder: string
  namespaces: Namespaces
  controlGroup: ControlGroup
  /** Starts a program on the machine. The output of the program goes to the file `<name>.log` in the folder. */
  start(name: string, program: string, args: readonly string[]): Child
  /** Runs a program on the machine, waits until it ends, and returns its output. */
  run(program: string, args: readonly string[], options?: Pick<CommandOptions, 'input'>): Promise<string>
  /** Ends the process of a container with SIGKILL. */
  killContainer(id: string): Promise<void>
  /** Imports an image from an archive. */
  importImage(archive: string): Promise<void>
  remove(): Promise<void>
}

/**
 * Kernel parameters (sysctl) that a kubelet requires or sets. They belong to the whole kernel, so each machine has files
 * of its own in their place.
 */
const KERNEL_VALUES = [
  ['vm/overcommit_memory', 1],
  ['vm/panic_on_oom', 0],
  ['kernel/panic', 10],
  ['kernel/panic_on_oops', 1],
  ['kernel/keys/root_maxkeys', 1_000_000],
  ['kernel/keys/root_maxbytes', 25_000_000],
] as const

export async function startMachine(
  { folder: parent, index, programs }: { folder: string; index: number; programs: NodePrograms },
  network: Network,
): Promise<Machine> {
  const name = `node-${index}`
  const folder = join(parent, name)
  for (const each of ['lib', 'log', 'cni', 'kernel']) mkdirSync(join(folder, each), { recursive: true })
  for (const [i, [, value]] of KERNEL_VALUES.entries()) writeFileSync(join(folder, 'kernel', `${i}`), `${value}\n`)
  const controlGroup = await createControlGroup(`${controlGroupsOf(network)}${name}`)
  const namespaces = await startNamespaces(
    ['mount', 'pid', 'net', 'uts', 'ipc'],
    `
      mount --make-rprivate /
      hostname ${name}
      # What programs write to these folders stays in the folder of this machine.
      mount --bind ${join(folder, 'lib')} /var/lib
      mount --bind ${join(folder, 'log')} /var/log
      mount -t tmpfs tmpfs /run
${KERNEL_VALUES.map(([name], i) => `      mount --bind ${join(folder, 'kernel', `${i}`)} /proc/sys/${name}`).join('\n')}
      echo 1 > /proc/sys/net/ipv4/ip_forward
      mount --make-rshared /
    `,
    join(folder, 'namespaces.log'),
  )
  await network.connect(index, namespaces)
  writeNetworkConfig(join(folder, 'cni'), network.addresses.podsOf(index))
  const config = join(folder, 'containerd.toml')
  writeFileSync(config, containerdConfig(join(folder, 'cni'), programs.networkPlugins))
  const start: Machine['start'] = (what, program, args) => {
    const [enter, entered] = namespaces.enter(program, args)
    return startChild(enter, entered, { log: join(folder, `${what}.log`), env: programs.env })
  }
  const containerd = start('containerd', programs.containerd, ['--config', config])
  const run: Machine['run'] = (program, args, options) =>
    namespaces.run(program, args, { ...options, env: programs.env })
  const ctr = (...args: string[]) => run(programs.ctr, ['-n', 'k8s.io', ...args])
  await until(`containerd answers on ${name}`, async () => {
    if (!containerd.isRunning()) throw new Error(`containerd ended: ${containerd.tail()}`)
    return await ctr('version').then(
      () => true,
      () => false,
    )
  })
  return {
    ...{ name, index, folder, namespaces, controlGroup, start, run },
    killContainer: (id) => ctr('tasks', 'kill', '--signal', 'SIGKILL', id).then(() => undefined),
    importImage: (archive) => ctr('images', 'import', archive).then(() => undefined),
    async remove() {
      await namespaces.remove()
      await controlGroup.remove()
    },
  }
}

/** The prefix of the names of the control groups of all machines in a network. */
export const controlGroupsOf = (network: Network) => `${network.device}-`

export const PAUSE_IMAGE = 'localhost/storey/pause:1'

function containerdConfig(networkConfig: string, networkPlugins: string): string {
  return `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # A machine of a cloud provider may refuse a lower oom_score_adj than that of containerd.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    conf_dir = "${networkConfig}"
    bin_dir = "${networkPlugins}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
`
}

/** Every pod has a link of its own to the node, which routes all packets. */
function writeNetworkConfig(folder: string, pods: string): void {
  const config = {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'ptp',
        mtu: 1_400,
        ipam: { type: 'host-local', ranges: [[{ subnet: pods }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
    ],
  }
  writeFileSync(join(folder, '10-pods.conflist'), JSON.stringify(config))
}
