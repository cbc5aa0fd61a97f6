import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { elapsedMs } from '../clock.ts'
import { LeftRunning } from '../lifecycle.ts'
import type { Log } from '../log.ts'
import { withOomScore } from '../oom-score.ts'
import { isAlive } from '../processes.ts'
import { StartupError } from '../startup-error.ts'
import { within } from '../within.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { ensureCluster, findRunning, releaseLock, SUPERUSER } from './cluster.ts'
import { fullDisk } from './full-disk.ts'
import { chooseUser, type RunAs } from './run-as.ts'
import { createServerLog, type ServerLog } from './server-log.ts'

export interface EmbeddedPostgres {
  /** The URL with which the superuser connects to the database `postgres`. */
  readonly url: string
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  folder: string
  password: string
  log: Log
  /** Use a server that already runs on this folder, instead of stopping it first. */
  attach?: boolean
  /** Called when the server ended and its folder no longer exists. */
  onLost?: (err: Error) => void
  settings?: Record<string, string>
  /** How long the server may take to stop. */
  stopLimitMs?: number
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  // A new file of the write-ahead log is filled with zeros first, which stops all commits for up to 200 ms. After a
  // checkpoint, PostgreSQL uses old files again. So the low maximum makes checkpoints frequent, and the minimum keeps
  // enough files for a burst of writes.
  max_wal_size: '512MB',
  min_wal_size: '256MB',
  // The databases are small, so separate I/O workers are of no use.
  io_method: 'sync',
  jit: 'off',
  // Autovacuum starts a process for each database, even for the database of a sleeping sandbox. Stacks and the
  // control plane vacuum their databases themselves.
  autovacuum_naptime: '1d',
  // Logs startup, shutdown and recovery, and no statement errors.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  log_min_error_statement: 'panic',
}

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 2_000
const LOG_EVERY_MS = 30_000
const ATTACH_LIMIT_MS = 10_000
const STOP_LIMIT_MS = 18_000

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { folder, password, log } = options
  const addressOf = (port: number) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`
  const running = findRunning(folder)
  if (running && options.attach) {
    await untilAnswers(addressOf(running.port))
    return { url: addressOf(running.port), stop: async () => undefined }
  }
  if (running) await endLeftover(running.pid, log)

  const binaries = await findBinaries()
  const runAs = chooseUser([dirname(folder), dirname(binaries.postgres)], folder)
  ensureCluster(folder, password, binaries, runAs)
  const port = await freePort()
  const url = addressOf(port)
  const serverLog = createServerLog(`${folder}.log`)
  let stopping = false
  let restarting: Promise<void> | undefined
  let server = await launch()

  async function launch(): Promise<Server> {
    releaseLock(folder)
    serverLog.begin()
    const started = startServer({ ...options, binaries, runAs, port, serverLog })
    await started.untilReady(url).catch(async (err) => {
      await started.stop()
      throw err
    })
    started.ended.then(() => {
      if (stopping) return
      restarting = restart().catch((err) => options.onLost?.(err))
    })
    return started
  }

  /** Retries for as long as the folder exists: with a full disk the server exits at every start until space is free. */
  async function restart(): Promise<void> {
    log.error('PostgreSQL exited unexpectedly, restarting')
    let loggedAt = elapsedMs()
    for (let pauseMs = FIRST_PAUSE_MS; !stopping; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      try {
        server = await launch()
        return
      } catch (err) {
        if (!existsSync(folder)) throw err
        await sleep(pauseMs)
        if (elapsedMs() < loggedAt + LOG_EVERY_MS || stopping) continue
        loggedAt = elapsedMs()
        log.error({ reason: (err as Error).message }, 'PostgreSQL failed to start, retrying')
      }
    }
  }

  return {
    url,
    stop: async () => {
      stopping = true
      // Otherwise a restart in progress would leave a running server behind.
      await restarting
      await server.stop()
    },
  }
}

interface Server {
  /** Resolves when the server has exited. */
  ended: Promise<void>
  untilReady(url: string): Promise<void>
  stop(): Promise<void>
}

function startServer(
  options: EmbeddedPostgresOptions & { binaries: Binaries; runAs: RunAs; port: number; serverLog: ServerLog },
): Server {
  const { folder, runAs, binaries, port, serverLog } = options
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const [program, args] = withOomScore(runAs.command(binaries.postgres, ['-D', folder, '-p', `${port}`, ...settings]))
  // A separate process group: Ctrl-C must not stop the database before its clients.
  const child = spawn(program, args, {
    ...runAs.identity,
    cwd: dirname(folder),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => serverLog.write(chunk))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()))
  const watchdog = watch(child)
  // The watchdog ends with the server: later, another process may have the server's pid.
  ended.then(() => watchdog?.kill())

  return {
    ended,
    async untilReady(url) {
      let over = false
      ended.then(() => {
        over = true
      })
      for (;;) {
        if (over) {
          throw new StartupError(`PostgreSQL could not start on ${folder}: ${fullDisk(folder)}${serverLog.quote()}`)
        }
        if (await answers(url)) return
        await sleep(30)
      }
    },
    async stop() {
      child.kill('SIGINT')
      await within(options.stopLimitMs ?? STOP_LIMIT_MS, ended).catch(() => {
        throw new LeftRunning(`PostgreSQL (process ${child.pid}) does not stop`)
      })
    },
  }
}

/**
 * Starts a watchdog. When this process is killed, the watchdog's stdin closes, and the watchdog sends SIGINT to the
 * server.
 */
function watch(server: ChildProcess): ChildProcess | undefined {
  if (process.platform === 'win32' || server.pid === undefined) return undefined
  const script = 'read -r _; kill -INT "$1" 2>/dev/null'
  return spawn('sh', ['-c', script, 'sh', `${server.pid}`], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
}

/** Waits for a server that another process is starting. */
async function untilAnswers(url: string): Promise<void> {
  for (const deadline = elapsedMs() + ATTACH_LIMIT_MS; elapsedMs() < deadline; await sleep(100)) {
    if (await answers(url)) return
  }
  throw new StartupError('The PostgreSQL of the running service is not responding.')
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch (err) {
    const code = (err as { code?: string }).code
    if (code === '28P01')
      throw new StartupError(
        'The data folder was created with another master secret. Restore that master secret from a backup.',
      )
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function endLeftover(pid: number, log: Log): Promise<void> {
  log.warn({ pid }, 'PostgreSQL from an earlier run still running, stopping it')
  process.kill(pid, 'SIGINT')
  for (let waited = 0; waited < 30_000; waited += 50) {
    if (!isAlive(pid)) return
    await sleep(50)
  }
  throw new StartupError(`PostgreSQL from an earlier run (process ${pid}) does not stop. Stop it and start again.`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
