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
const RESTART_MS = 1_000
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  // Little is written ahead, so that a full disk is felt at once.
  max_wal_size: '64MB',
  min_wal_size: '32MB',
  log_min_messages: 'fatal',
}

/** A PostgreSQL as an operator runs one: on a small disk of its own where that can be mounted, started again when it ends. */
export async function startOwnPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'storey-own-'))
  chmodSync(folder, 0o711)
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  chmodSync(disk, 0o711)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0711`, 'tmpfs', disk])
  const isSmallDisk = mounted.status === 0
  const data = join(disk, 'data')
  const binaries = await findBinaries()
  const runAs = chooseUser([disk, join(binaries.postgres, '..')])
  if (process.getuid?.() === 0) chmodSync(disk, 0o777)
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

  async function ask(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: addressOf(SUPERUSER, 'postgres'), connectionTimeoutMillis: 2_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('set default_transaction_read_only = off')
      await client.query(statement)
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async function untilAnswers(): Promise<void> {
    for (;;) {
      if (
        await ask('select 1').then(
          () => true,
          () => false,
        )
      )
        return
      await sleep(50)
    }
  }

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
  await ask(`create role twin login createdb createrole password '${PASSWORD}'`)
  await ask('create database twin owner twin')

  return {
    url: addressOf('twin', 'twin'),
    isSmallDisk,
    ask,
    untilAnswers,
    start,
    stop,
    /** The server and all of its processes. */
    signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
      const all = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
      const children = all
        .map((line) => line.trim().split(/\s+/).map(Number))
        .filter(([, parent]) => parent === server.pid)
      for (const pid of [server.pid!, ...children.map(([pid]) => pid!)]) process.kill(pid, signal)
    },
    /** Takes all that is left of the disk, also what becomes free meanwhile; gives it back when the signal says so. */
    async fill(signal: AbortSignal): Promise<void> {
      const balloon = await open(join(disk, 'balloon'), 'w')
      const piece = Buffer.alloc(1024 * 1024)
      while (!signal.aborted) {
        await balloon.write(piece).catch(() => sleep(100))
      }
      await balloon.truncate(0)
      await balloon.close()
      rmSync(join(disk, 'balloon'))
    },
    async remove(): Promise<void> {
      await stop()
      if (isSmallDisk) spawnSync('umount', [disk])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>
