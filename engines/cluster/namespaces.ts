import { readFileSync } from 'node:fs'
import { until } from '../until.ts'
import { startChild } from './child.ts'
import { type CommandOptions, command } from './command.ts'

/**
 * Namespaces of the kernel, which exist as long as their first process. When this process ends, the kernel ends all
 * other processes in the namespaces and removes their mounts, network devices and packet filters.
 */
export interface Namespaces {
  /** The pid of the first process, as programs outside of the namespaces see it. */
  pid: number
  run(program: string, args: readonly string[], options?: CommandOptions): Promise<string>
  /** The command that runs a program inside. */
  enter(program: string, args: readonly string[]): [program: string, args: string[]]
  remove(): Promise<void>
}

/** Creates namespaces of these kinds, and runs a shell script as their first process, which then waits. */
export async function startNamespaces(
  kinds: readonly ('mount' | 'pid' | 'net' | 'uts' | 'ipc')[],
  script: string,
  log: string,
): Promise<Namespaces> {
  const flags = [...kinds.map((kind) => `--${kind}`), ...(kinds.includes('pid') ? ['--mount-proc'] : [])]
  // `wait` also reaps orphaned processes.
  const first = `set -e\n${script}\necho started\nwhile :; do sleep 3600 & wait; done`
  const holder = startChild('unshare', [...flags, '--fork', '--kill-child=KILL', 'sh', '-c', first], { log })
  let pid = 0
  await until('the namespaces exist', () => {
    if (!holder.isRunning()) throw new Error(`the namespaces could not be created: ${holder.tail()}`)
    pid = Number(readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim())
    return pid > 0 && holder.tail().endsWith('started')
  })
  const enter: Namespaces['enter'] = (program, args) => [
    'nsenter',
    ['--target', `${pid}`, ...kinds.map((kind) => `--${kind}`), '--', program, ...args],
  ]
  return {
    pid,
    enter,
    run: (program, args, options) => command(...enter(program, args), options),
    remove: () => holder.stop('SIGKILL'),
  }
}
