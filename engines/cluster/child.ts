import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** A program of the cluster, whose output goes to a file. It ends when this process ends, however that happens. */
export interface Child {
  pid: number
  /** The last lines that it printed. */
  tail(): string
  isRunning(): boolean
  stop(signal?: NodeJS.Signals): Promise<void>
}

const STOP_LIMIT_MS = 15_000
const TAIL_LINES = 15

export function startChild(
  program: string,
  args: readonly string[],
  { log, env = {} }: { log: string; env?: Record<string, string> },
): Child {
  const output = openSync(log, 'a')
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  })
  closeSync(output)
  let running = true
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      running = false
      resolve()
    })
  })
  return {
    pid: child.pid!,
    tail: () => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    isRunning: () => running,
    async stop(signal = 'SIGTERM') {
      if (!running) return
      child.kill(signal)
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
      await ended
      clearTimeout(limit)
    },
  }
}
