import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { groupsNamed } from './control-groups.ts'

/**
 * Kernel parameters (sysctl) of the whole machine. On a real node, kubelet, kube-proxy and network plugins set them;
 * here they must stay unchanged.
 */
const KERNEL_VALUES = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'net/ipv4/ip_forward',
  'net/netfilter/nf_conntrack_max',
]

export function kernelValues(): string[] {
  return KERNEL_VALUES.map((name) => {
    try {
      return `${name}=${readFileSync(join('/proc/sys', name), 'utf8').trim()}`
    } catch {
      return `${name} is not there`
    }
  })
}

/** What a cluster whose files are in this folder has left on this machine: mounts, devices, control groups, processes. */
export function remainsOf(folder: string, { device, groups }: { device: string; groups: string }): string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder))
  const devices = readdirSync('/sys/class/net').filter((name) => name === device)
  return [...mounts, ...devices, ...groupsNamed(groups), ...processesWith(folder)]
}

function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return line.includes(text) ? [`${pid} ${line}`] : []
      } catch {
        return []
      }
    })
}
