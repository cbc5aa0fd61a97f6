import { readFileSync } from 'node:fs'
import { processes } from '../acceptance/system/processes.ts'

/** The process ids of a control plane's children that run this command of the stack program. */
export function childrenOf(hostPid: number, command: 'seed' | 'serve' | 'spare'): number[] {
  return processes()
    .filter(({ parent, args }) => parent === hostPid && args.split(' ').at(-1) === command)
    .map(({ pid }) => pid)
}

/** The CPU seconds that a control plane, its stacks, its PostgreSQL and all their ended children have used so far. */
export function cpuSeconds(hostPid: number): Record<'control plane' | 'stacks' | 'PostgreSQL' | 'total', number> {
  const all = processes()
  const sum = (pid: number): number =>
    ticksOf(pid) + childrenIn(pid).reduce((total, child) => total + sum(child.pid), 0)
  const childrenIn = (pid: number) => all.filter(({ parent }) => parent === pid)
  const seconds = { 'control plane': ticksOf(hostPid), stacks: 0, PostgreSQL: 0, total: 0 }
  for (const { pid, args } of childrenIn(hostPid))
    seconds[/ (serve|spare)$/.test(args) ? 'stacks' : 'PostgreSQL'] += sum(pid)
  for (const part of ['control plane', 'stacks', 'PostgreSQL'] as const) {
    seconds[part] /= TICKS_PER_SECOND
    seconds.total += seconds[part]
  }
  return seconds
}

/** USER_HZ, which is the same on all common platforms. */
const TICKS_PER_SECOND = 100

/** The CPU seconds that a process and its ended children have used so far. */
export const cpuOf = (pid: number): number => ticksOf(pid) / TICKS_PER_SECOND

/** CPU ticks of a process and its ended children: the sum over a process tree loses nothing when a process ends. */
function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((total, field) => total + Number(field), 0)
  } catch {
    return 0
  }
}

export const memoryMb = (pid: number): number => statusMb(pid, 'VmRSS')
/** The peak memory of a process; 0 when it has ended. */
export const peakMemoryMb = (pid: number): number => statusMb(pid, 'VmHWM')

function statusMb(pid: number, field: string): number {
  try {
    const line = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(line?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
