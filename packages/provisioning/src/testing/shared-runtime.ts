import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Log } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import { createProcessRuntime, type ProcessRuntimeOptions } from '../stacks/process-runtime.ts'
import { createRemoteStack, type RemoteStack } from '../stacks/remote-stack.ts'
import { createStackReports } from '../stacks/stack-reports.ts'
import type { StackRuntime } from '../stacks/stack-runtime.ts'
import type { SupervisorConfig } from './stack-supervisor.ts'

export interface SharedRuntimeOptions extends Omit<ProcessRuntimeOptions, 'log'> {
  /** The folder in which the control planes find the running stacks. */
  runs: string
  /** How many processes serve a sandbox. */
  replicas?: number
  log: Log
}

interface Run {
  pid: number
  controlPort: number
}

const SUPERVISOR = fileURLToPath(new URL('./stack-supervisor.ts', import.meta.url))
const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 15_000

/**
 * Replaces a cluster in tests on one machine: stacks are real processes that survive the control plane that started
 * them, and every control plane with the same folder can use and stop them.
 */
export function createSharedRuntime({ runs, replicas = 1, ...options }: SharedRuntimeOptions): StackRuntime {
  const { log } = options
  const processes = createProcessRuntime(options)
  const reports = createStackReports()
  const attached = new Map<string, RemoteStack>()
  mkdirSync(runs, { recursive: true })
  const fileOf = (sandboxId: string) => join(runs, `${sandboxId}.json`)

  function runOf(sandboxId: string): Run | undefined {
    const file = fileOf(sandboxId)
    const run: Run | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
    return run && isRunning(run.pid) ? run : undefined
  }

  async function launch(config: Parameters<StackRuntime['start']>[0]): Promise<Run> {
    const { sandboxId } = config
    const folder = join(options.folder, sandboxId)
    mkdirSync(folder, { recursive: true })
    const controlPort = await freePort()
    const supervised: SupervisorConfig = { program: options.program, replicas, folder, controlPort, config }
    const output = openSync(join(runs, `${sandboxId}.log`), 'a')
    const child = spawn(process.execPath, [SUPERVISOR], {
      detached: true,
      stdio: ['ignore', output, output],
      env: {
        ...options.environment,
        TZ: 'UTC',
        NODE_COMPILE_CACHE: options.compileCache,
        SUPERVISED: JSON.stringify(supervised),
      },
    })
    closeSync(output)
    child.unref()
    const run = { pid: child.pid!, controlPort }
    const draft = `${fileOf(sandboxId)}.${process.pid}`
    writeFileSync(draft, JSON.stringify(run))
    renameSync(draft, fileOf(sandboxId))
    return run
  }

  return {
    ...processes,
    isShared: true,
    replicas,
    async start(config, onDue, onStorage, onReplica) {
      const { sandboxId, internalKey } = config
      attached.get(sandboxId)?.end()
      const run = runOf(sandboxId) ?? (await launch(config))
      const stack = createRemoteStack({
        ...{
          sandboxId,
          host: '127.0.0.1',
          controlPort: run.controlPort,
          internalKey: internalKey!,
          onDue,
          onStorage,
          log,
        },
        lostAfterMs: Number.POSITIVE_INFINITY,
      })
      attached.set(sandboxId, stack)
      const check = setInterval(() => !isRunning(run.pid) && stack.end(), 50).unref()
      stack.ended.then(() => {
        clearInterval(check)
        if (attached.get(sandboxId) === stack) attached.delete(sandboxId)
      })
      const running = await within(START_LIMIT_MS, stack.listening)
      await onReplica?.((command) => stack.deliver(command))
      reports.follow(sandboxId, stack.reports, stack.ended)
      return running
    },
    async stop(sandboxId) {
      const run = runOf(sandboxId)
      if (!run) return
      kill(run.pid, 'SIGTERM')
      const stack = attached.get(sandboxId)
      for (const deadline = Date.now() + STOP_LIMIT_MS; isRunning(run.pid); await sleep(20))
        if (Date.now() > deadline) kill(run.pid, 'SIGKILL')
      await stack?.ended
      rmSync(fileOf(sandboxId), { force: true })
    },
    send: (sandboxId, command) => attached.get(sandboxId)?.send(command),
    status: (sandboxId) => (runOf(sandboxId) ? 'running' : 'stopped'),
    listRunning: async () =>
      readdirSync(runs)
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length))
        .filter(runOf),
    pidOf: (sandboxId) => runOf(sandboxId)?.pid,
    report: reports.read,
    detach(sandboxId) {
      const stack = attached.get(sandboxId)
      attached.delete(sandboxId)
      stack?.end()
    },
  }
}

/** Ends all stacks that the control planes of this folder have left running. */
export async function endRuns(runs: string): Promise<void> {
  const pids = readdirSync(runs)
    .filter((name) => name.endsWith('.json'))
    .map((name) => (JSON.parse(readFileSync(join(runs, name), 'utf8')) as Run).pid)
  for (const pid of pids) if (isRunning(pid)) kill(pid, 'SIGTERM')
  for (const deadline = Date.now() + STOP_LIMIT_MS; pids.some(isRunning) && Date.now() < deadline; ) await sleep(50)
  for (const pid of pids) if (isRunning(pid)) kill(pid, 'SIGKILL')
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (err) {
    // ESRCH: the process has ended already.
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err
  }
}

/** False also for a zombie, a process that has ended and that its parent has not reaped yet. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = existsSync('/proc') ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
    return !/\) Z /.test(stat)
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
