import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../acceptance/system/system.ts'
import { chooseUser } from '../../packages/kit/src/embedded-postgres/run-as.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { debianProgram } from '../fetch/debian.ts'
import { until } from '../until.ts'
import { isListening } from './listening.ts'

const PASSWORD = 'p00ler'

export interface Pooler {
  version: string
  /** Whether it can look up roles in another database than that of the client (`auth_dbname`). */
  canLookUpElsewhere: boolean
  port: number
  stop(): Promise<void>
}

/** The statements that prepare PostgreSQL for the pooler. */
export const POOLER_ROLE = `create role pgbouncer login superuser password '${PASSWORD}'`

/** A PgBouncer with the file of `deploy/pgbouncer` in front of a PostgreSQL on this port. */
export async function startPooler(postgresPort: number, mode: 'session' | 'transaction'): Promise<Pooler> {
  const { path, env } = debianProgram('pgbouncer')
  const environment = { ...process.env, ...env }
  const version = /PgBouncer ([\d.]+)/.exec(execFileSync(path, ['-V'], { encoding: 'utf8', env: environment }))![1]!
  const canLookUpElsewhere = Number(version.split('.')[1]) >= 19
  const folder = mkdtempSync(join(tmpdir(), 'storey-pgbouncer-'))
  const runAs = chooseUser([folder, path])
  const port = await freePort()
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, `"pgbouncer" "${PASSWORD}"\n`)
  const file = writeDeployFile('pgbouncer/pgbouncer.ini', join(folder, 'pgbouncer.ini'), {
    'host=127.0.0.1 port=5432': `host=localhost port=${postgresPort}`,
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
    version,
    canLookUpElsewhere,
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
