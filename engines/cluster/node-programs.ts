import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../fetch/cache.ts'
import { libraryFolders, unpackedPackage } from '../fetch/debian.ts'

/** What a node runs beside Kubernetes: containerd with runc, the network plugins, and the tools of the packet filter. */
export interface NodePrograms {
  containerd: string
  ctr: string
  networkPlugins: string
  /** The environment in which these programs find each other and their libraries. */
  env: Record<string, string>
}

export function fetchNodePrograms(): NodePrograms {
  const containerd = unpackedPackage('containerd')
  const plugins = unpackedPackage('containernetworking-plugins')
  const others = ['nftables', 'iptables'].map(unpackedPackage)
  const roots = [containerd, ...others]
  const folders = roots.flatMap((root) => ['usr/sbin', 'usr/bin', 'sbin', 'bin'].map((each) => join(root, each)))
  const iptables = others[1]!
  const xtables = libraryFolders(iptables)
    .map((each) => join(each, 'xtables'))
    .find((each) => existsSync(each))
  return {
    containerd: join(containerd, 'usr/bin/containerd'),
    ctr: join(containerd, 'usr/bin/ctr'),
    networkPlugins: join(plugins, 'usr/lib/cni'),
    env: {
      PATH: [chosenNames(iptables), ...folders.filter((each) => existsSync(each)), process.env.PATH].join(':'),
      LD_LIBRARY_PATH: roots.flatMap(libraryFolders).join(':'),
      ...(xtables === undefined ? {} : { XTABLES_LIBDIR: xtables }),
    },
  }
}

/**
 * A folder with the links `iptables`, `iptables-save` and so on, which Debian creates when it installs the package; here
 * the package is only unpacked.
 */
function chosenNames(root: string): string {
  const folder = cacheFolder('debian', 'iptables-names')
  for (const name of ['iptables', 'ip6tables'].flatMap((each) => [each, `${each}-save`, `${each}-restore`]))
    if (!existsSync(join(folder, name))) symlinkSync(join(root, 'usr/sbin/xtables-nft-multi'), join(folder, name))
  return folder
}
