import { join } from 'node:path'
import { EngineMissing } from '../fetch/cache.ts'
import { command } from './command.ts'
import { type Namespaces, startNamespaces } from './namespaces.ts'

/** The addresses of a cluster. All are in one block 10.x.0.0/16 that this machine does not use. */
export interface Addresses {
  /** The address at which nodes and pods reach this machine. */
  host: string
  services: string
  pods: string
  /** The first service address, by which pods reach the API server. */
  apiService: string
  /** The service address of the cluster's DNS. */
  dnsService: string
  /** Further addresses of this machine, for clients that must have different addresses. */
  clients: readonly string[]
  node(index: number): string
  podsOf(index: number): string
}

/** A network that connects this machine and the nodes of the cluster. */
export interface Network {
  addresses: Addresses
  /** The network device by which this machine is connected. */
  device: string
  /** Connects a node, and makes its pods reachable from here. */
  connect(index: number, node: Namespaces): Promise<void>
  remove(): Promise<void>
}

const BLOCKS = Array.from({ length: 40 }, (_, i) => 200 + i)
const BRIDGE = 'br0'

export async function createNetwork(folder: string): Promise<Network> {
  const routes = await command('ip', ['-4', 'route', 'show', 'table', 'all'])
  const block = BLOCKS.find((each) => !new RegExp(`\\b10\\.${each}\\.`).test(routes))
  if (block === undefined) throw new EngineMissing('no block 10.x.0.0/16 between 10.200 and 10.239 is free')
  const addresses = addressesIn(`10.${block}`)
  // The bridge has a namespace of its own, so that nothing on this machine forwards or filters packets for the cluster.
  const hub = await startNamespaces(
    ['mount', 'pid', 'net'],
    `ip link set lo up; ip link add ${BRIDGE} type bridge; ip link set ${BRIDGE} up`,
    join(folder, 'network.log'),
  )
  const device = `storey-${block}`
  await attach(hub, 'host', `${process.pid}`, device)
  for (const address of [addresses.host, ...addresses.clients])
    await command('ip', ['address', 'add', `${address}/24`, 'dev', device])
  await command('ip', ['link', 'set', device, 'up'])
  const connected: { index: number; node: Namespaces }[] = []
  return {
    ...{ addresses, device },
    async connect(index, node) {
      await attach(hub, `node${index}`, `${node.pid}`, 'eth0')
      const ip = (...args: string[]) => node.run('ip', args)
      await ip('link', 'set', 'lo', 'up')
      await ip('address', 'add', `${addresses.node(index)}/24`, 'dev', 'eth0')
      await ip('link', 'set', 'eth0', 'up')
      await ip('route', 'add', 'default', 'via', addresses.host)
      await command('ip', ['route', 'add', addresses.podsOf(index), 'via', addresses.node(index)])
      if (connected.length === 0)
        await command('ip', ['route', 'add', addresses.services, 'via', addresses.node(index)])
      for (const other of connected) {
        await ip('route', 'add', addresses.podsOf(other.index), 'via', addresses.node(other.index))
        await other.node.run('ip', ['route', 'add', addresses.podsOf(index), 'via', addresses.node(index)])
      }
      connected.push({ index, node })
    },
    remove: () => hub.remove(),
  }
}

/**
 * Connects the bridge to a device in the network namespace of another process. When either namespace ends, the kernel
 * removes both ends of the connection.
 */
async function attach(hub: Namespaces, port: string, pid: string, device: string): Promise<void> {
  await command('ip', [
    'link',
    'add',
    port,
    'netns',
    `${hub.pid}`,
    'type',
    'veth',
    'peer',
    'name',
    device,
    'netns',
    pid,
  ])
  await hub.run('ip', ['link', 'set', port, 'master', BRIDGE])
  await hub.run('ip', ['link', 'set', port, 'up'])
}

function addressesIn(block: string): Addresses {
  return {
    host: `${block}.0.1`,
    services: `${block}.64.0/20`,
    pods: `${block}.128.0/17`,
    apiService: `${block}.64.1`,
    dnsService: `${block}.64.10`,
    clients: [`${block}.0.101`, `${block}.0.102`],
    node: (index) => `${block}.0.${10 + index}`,
    podsOf: (index) => `${block}.${128 + index}.0/24`,
  }
}
