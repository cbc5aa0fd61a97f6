import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../acceptance/system/system.ts'
import { findBinaries } from '../packages/kit/src/embedded-postgres/binaries.ts'
import { ensureCluster, SUPERUSER } from '../packages/kit/src/embedded-postgres/cluster.ts'
import { chooseUser } from '../packages/kit/src/embedded-postgres/run-as.ts'

const DISK_MB = 512
const PASSWORD = 'secret'
/** The name of the service's role and of its control database. The superuser has another name. */
const ROLE = 'service'
const RESTART_MS = 1_000
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  // The WAL is small, so that a full disk has an effect immediately.
  max_wal_size: '64MB',
  min_wal_size: '32MB',
  log_min_messages: 'fatal',
}

/** How a chaos test controls the PostgreSQL server, embedded or external. */
export interface PostgresControls {
  isSmallDisk: boolean
  ask(statement: string): Promise<void>
  untilAnswers(): Promise<void>
  /** Signals the server and all of its processes. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Fills the disk and keeps it full; frees it when the signal is aborted. */
  fill(signal: AbortSignal): Promise<void>
}

/** Creates a folder and mounts a small disk in it. If mounting is not possible, the folder is an ordinary one. */
export function mountSmallDisk(prefix: string) {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(folder, 0o711)
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk])
  chmodSync(disk, 0o777)
  return {
    disk,
    isSmallDisk: status === 0,
    remove(): void {
      if (status === 0) spawnSync('umount', [disk])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function controlsOf(
  disk: { disk: string; isSmallDisk: boolean },
  server: { pid(): number; url(): string },
): PostgresControls {
  async function ask(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: server.url(), connectionTimeoutMillis: 2_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('set default_transaction_read_only = off')
      await client.query(statement)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  const answers = () =>
    ask('select 1').then(
      () => true,
      () => false,
    )
  return {
    isSmallDisk: disk.isSmallDisk,
    ask,
    async untilAnswers() {
      while (!(await answers())) await sleep(50)
    },
    signal(signal) {
      const pid = server.pid()
      const all = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
      const children = all.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === pid)
      for (const each of [pid, ...children.map(([child]) => child!)]) process.kill(each, signal)
    },
    async fill(signal) {
      const path = join(disk.disk, 'filler')
      const filler = await open(path, 'w')
      const piece = Buffer.alloc(1024 * 1024)
      while (!signal.aborted) await filler.write(piece).catch(() => sleep(100))
      await filler.truncate(0)
      await filler.close()
      rmSync(path)
    },
  }
}

/** A PostgreSQL server outside of the service. It is restarted when it ends, and has a small disk if possible. */
export async function startExternalPostgres() {
  const small = mountSmallDisk('storey-external-')
  const { disk } = small
  const data = join(disk, 'data')
  const binaries = await findBinaries()
  const runAs = chooseUser([disk, join(binaries.postgres, '..')])
  ensureCluster(data, PASSWORD, binaries, runAs)
  const port = await freePort()
  const addressOf = (user: string, database: string) => `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let wanted = true
  let server: ChildProcess

  function launch(): void {
    const [program, args] = runAs.command(binaries.postgres, ['-D', data, '-p', `${port}`, ...settings])
    server = spawn(program, args, { ...runAs.identity, cwd: disk, stdio: ['ignore', 'ignore', 'ignore'] })
    server.once('exit', () => wanted && setTimeout(() => wanted && launch(), RESTART_MS))
  }

  const controls = controlsOf(small, { pid: () => server.pid!, url: () => addressOf(SUPERUSER, 'postgres') })
  const { ask, untilAnswers } = controls

  async function stop(): Promise<void> {
    wanted = false
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGINT')
    await ended
  }

  async function start(): Promise<void> {
    wanted = true
    launch()
    await untilAnswers()
  }

  await start()
  await ask(`create role ${ROLE} login createdb createrole password '${PASSWORD}'`)
  await ask(`create database ${ROLE} owner ${ROLE}`)

  return {
    url: addressOf(ROLE, ROLE),
    ...controls,
    start,
    stop,
    async remove(): Promise<void> {
      await stop()
      small.remove()
    },
  }
}

export type ExternalPostgres = Awaited<ReturnType<typeof startExternalPostgres>>
