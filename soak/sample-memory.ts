import { readFileSync } from 'node:fs'
import { processes } from '../acceptance/system/processes.ts'
import { childrenOf, memoryMb } from '../bench/processes.ts'

/** Memory in MB at one time. */
export interface Sample {
  minute: number
  stack: number
  controlPlane: number
  postgres: number
}

/** The memory of the largest stack, of the control plane, and of all PostgreSQL processes together. */
export function sampleMemory(hostPid: number, minute: number): Sample {
  const all = processes()
  const parentOf = new Map(all.map(({ pid, parent }) => [pid, parent]))
  const isBelow = (pid: number): boolean => {
    const parent = parentOf.get(pid)
    return parent !== undefined && (parent === hostPid || isBelow(parent))
  }
  const postgres = all.filter(({ pid, args }) => /(^|\/)postgres\b/.test(args) && isBelow(pid))
  return {
    minute,
    stack: Math.max(0, ...childrenOf(hostPid, 'serve').map(memoryMb)),
    controlPlane: memoryMb(hostPid),
    postgres: postgres.reduce((sum, { pid }) => sum + proportionalMb(pid), 0),
  }
}

/**
 * The proportional set size (PSS) of a process: PostgreSQL's processes share buffers, which RSS would count several
 * times.
 */
function proportionalMb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

export const PARTS = ['stack', 'controlPlane', 'postgres'] as const

/**
 * How much the memory of a part grew in the second half of a run: the mean of its last quarter divided by the mean of
 * the quarter before.
 */
export function growth(samples: readonly Sample[], part: (typeof PARTS)[number]): number {
  const mean = (from: number, to: number) => {
    const some = samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to))
    return some.reduce((sum, sample) => sum + sample[part], 0) / some.length
  }
  return mean(0.75, 1) / mean(0.5, 0.75)
}
