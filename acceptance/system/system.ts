import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { builtProgram } from './built-program.ts'

/** The whole product, with its own port and data folder. */
export interface System {
  url: string
  dataDir: string
  env: NodeJS.ProcessEnv
  /** Everything that the system has printed so far. */
  output(): string
  /** The process id of the control plane, which starts all other processes. */
  pid: number
  stop(): Promise<number | null>
  /** Kills the control plane with SIGKILL. */
  kill9(): Promise<void>
  /** Stops the system if it runs, and removes its data. */
  remove(): Promise<void>
}

const SERVICE = 'packages/host/src/main.ts'
const READY_LIMIT_MS = 60_000

export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** A copy of the data folder of a stopped system. */
export function copyOf(dataDir: string): string {
  const folder = temporaryFolder('storey-acceptance')
  cpSync(dataDir, folder, { recursive: true })
  return folder
}

export interface SystemOptions {
  env?: Record<string, string>
  /** The data folder of an earlier system, to start it again. */
  dataDir?: string
  port?: number
  /** The program to run instead of the service. */
  program?: string
  /** Called after each new output, with everything that the system has printed so far. */
  onOutput?(text: string): void
}

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const port = options.port ?? (await freePort())
  const dataDir = options.dataDir ?? temporaryFolder('storey-acceptance')
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: join('node_modules', '.cache', 'node'),
    PORT: String(port),
    DATA_DIR: dataDir,
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    ...options.env,
  }
  // With an IPC channel the system ends when the test process ends, even if the test process is killed.
  const child = spawn(process.execPath, [options.program ?? builtProgram(SERVICE)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream!.setEncoding('utf8').on('data', (text: string) => {
      output += text
      options.onOutput?.(output)
    })
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await untilReady(child, ended, () => output)

  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    return child.exitCode
  }
  return {
    url: `http://localhost:${port}`,
    dataDir,
    env,
    output: () => output,
    pid: child.pid!,
    stop,
    async kill9() {
      child.kill('SIGKILL')
      await ended
    },
    async remove() {
      if (child.exitCode === null && child.signalCode === null) await stop()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

async function untilReady(child: ChildProcess, ended: Promise<void>, output: () => string): Promise<void> {
  let over = false
  ended.then(() => {
    over = true
  })
  for (const deadline = Date.now() + READY_LIMIT_MS; Date.now() < deadline; ) {
    if (output().includes('is ready.')) return
    if (over) throw new Error(`the system ended before it was ready:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  child.kill('SIGKILL')
  throw new Error(`the system was not ready in time:\n${output()}`)
}
