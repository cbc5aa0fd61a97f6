import { readFileSync } from 'node:fs'
import { processes } from '../acceptance/system/processes.ts'

/** Processes of a host that run the stack's command, as the operating system sees them. */
export function childrenOf(hostPid: number, command: 'seed' | 'serve' | 'spare'): number[] {
  return processes()
    .filter(({ parent, args }) => parent === hostPid && args.split(' ').at(-1) === command)
    .map(({ pid }) => pid)
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
