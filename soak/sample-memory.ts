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

export const PARTS = ['stack', 'controlPlane', 'postgres'] as const
export const PART_NAMES = { stack: 'the largest stack', controlPlane: 'the control plane', postgres: 'PostgreSQL' }

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

/** A sentence about the parts whose memory could not be read, if there are any. The memory of a process is never 0. */
export function explainUnread(sample: Sample): string | undefined {
  const unread = PARTS.filter((part) => sample[part] === 0).map((part) => PART_NAMES[part])
  if (unread.length === 0) return undefined
  return `The memory of ${unread.join(' and of ')} cannot be read: it needs Linux, a user who may read /proc, and a running stack`
}

/** The process that serves a sandbox. It has another id after a restart. */
export function findStack(sandboxId: string): number | undefined {
  return processes().find(({ args }) => args === `storey ${sandboxId} serve`)?.pid
}
