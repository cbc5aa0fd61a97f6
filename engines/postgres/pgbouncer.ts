import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../acceptance/system/system.ts'
import { chooseUser } from '../../packages/kit/src/embedded-postgres/run-as.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { debianProgram, type Program } from '../fetch/debian.ts'
import { programOfRelease } from '../fetch/debian-release.ts'
import { until } from '../until.ts'
import { isListening } from './listening.ts'

const PASSWORD = 'p00ler'

export interface Pooler {
  port: number
  stop(): Promise<void>
}

/** The statement that prepares PostgreSQL for the pooler. */
export const POOLER_ROLE = `create role pgbouncer login superuser password '${PASSWORD}'`

export interface PoolerProgram extends Program {
  version: string
  /** Whether it can look up roles in another database than that of the client (`auth_dbname`). */
  canLookUpElsewhere: boolean
}

/** The PgBouncer of this machine's Debian release and, if it is older than 1.19, also that of a newer release. */
export function poolerPrograms(): PoolerProgram[] {
  const own = describeProgram(debianProgram('pgbouncer'))
  return own.canLookUpElsewhere ? [own] : [own, describeProgram(programOfRelease('trixie', 'pgbouncer'))]
}

function describeProgram(program: Program): PoolerProgram {
  const env = { ...process.env, ...program.env }
  const version = /PgBouncer ([\d.]+)/.exec(execFileSync(program.path, ['-V'], { encoding: 'utf8', env }))![1]!
  return { ...program, version, canLookUpElsewhere: Number(version.split('.')[1]) >= 19 }
}

/** Starts a PgBouncer with the configuration of `deploy/pgbouncer` in front of the PostgreSQL on `postgresPort`. */
export async function startPooler(
  { path, env, canLookUpElsewhere }: PoolerProgram,
  postgresPort: number,
  mode: 'session' | 'transaction',
): Promise<Pooler> {
  const environment = { ...process.env, ...env }
  const folder = mkdtempSync(join(tmpdir(), 'storey-pgbouncer-'))
  const runAs = chooseUser([folder, path])
  const port = await freePort()
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, `"pgbouncer" "${PASSWORD}"\n`)
  const file = writeDeployFile('pgbouncer/pgbouncer.ini', join(folder, 'pgbouncer.ini'), {
    'host=127.0.0.1 port=5432': `host=127.0.0.1 port=${postgresPort}`,
    'listen_addr = 0.0.0.0': 'listen_addr = 127.0.0.1\nunix_socket_dir =\nserver_tls_sslmode = require',
    'listen_port = 6432': `listen_port = ${port}`,
    'pool_mode = session': `pool_mode = ${mode}`,
    '/etc/pgbouncer/userlist.txt': users,
    ...(canLookUpElsewhere ? {} : { 'auth_dbname = postgres': '' }),
  })
  for (const each of [folder, users, file]) runAs.own(each)
  const [program, args] = runAs.command(path, [file])
  const child: ChildProcess = spawn(program, args, {
    ...runAs.identity,
    cwd: folder,
    stdio: 'ignore',
    env: environment,
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await until('PgBouncer listens', () => isListening(port))
  return {
    port,
    async stop() {
      child.kill('SIGINT')
      const late = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await ended
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
