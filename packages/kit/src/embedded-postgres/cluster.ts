import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isAlive } from '../processes.ts'
import { StartupError } from '../startup-error.ts'
import type { Binaries } from './binaries.ts'
import type { RunAs } from './run-as.ts'

export const SUPERUSER = 'storey'

/** The line of initdb's output that has the error. The lines after it report what initdb removes. */
export function initdbError(stderr: string): string | undefined {
  const lines = stderr.trim().split('\n')
  return lines.find((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.at(-1)
}

/**
 * Creates the database folder if it does not exist. The folder gets its name only when it is complete, so an
 * interrupted start leaves no broken folder.
 */
export function ensureCluster(folder: string, password: string, binaries: Binaries, runAs: RunAs): void {
  if (existsSync(folder)) {
    checkCluster(folder, binaries)
    return
  }
  removeDrafts(folder)
  // The initdb of a killed start may still write to its own draft, so each start has another one.
  const draft = `${folder}.new-${process.pid}`
  const passwordFile = `${draft}.password`
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  runAs.own(draft)
  runAs.own(passwordFile)
  try {
    const [program, args] = runAs.command(binaries.initdb, [
      ...['-D', draft, '-U', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions'],
    ])
    const { status, stderr, error } = spawnSync(program, args, {
      ...runAs.identity,
      cwd: dirname(folder),
      encoding: 'utf8',
    })
    if (status !== 0) {
      const reason = error?.message ?? initdbError(stderr)
      throw new StartupError(`PostgreSQL could not create its data folder ${folder}: ${reason}`)
    }
    renameSync(draft, folder)
  } finally {
    rmSync(passwordFile, { force: true })
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Removes what killed starts have left. What another process still writes to remains until the next start. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}.new`)) continue
    try {
      rmSync(join(dirname(folder), name), { recursive: true, force: true })
    } catch {
      // The folder is not empty, because initdb has created another file meanwhile.
    }
  }
}

function checkCluster(folder: string, binaries: Binaries): void {
  const advice = 'Restore it from a backup, or remove the data folder to start empty.'
  for (const file of ['PG_VERSION', 'global/pg_control', 'base', 'pg_wal']) {
    if (!existsSync(join(folder, file)))
      throw new StartupError(`The data folder ${folder} is damaged: ${file} is missing. ${advice}`)
  }
  const version = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  const { stdout } = spawnSync(binaries.postgres, ['--version'], { encoding: 'utf8' })
  const major = /(\d+)\.\d+/.exec(stdout ?? '')?.[1]
  if (major !== undefined && major !== version) {
    throw new StartupError(
      `The data folder ${folder} belongs to PostgreSQL ${version}, and this is PostgreSQL ${major}. ${advice}`,
    )
  }
}

export interface RunningServer {
  pid: number
  port: number
}

/** The server that runs on this folder, from its postmaster.pid. */
export function findRunning(folder: string): RunningServer | undefined {
  const file = join(folder, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  return pid > 0 && port > 0 && isAlive(pid) ? { pid, port } : undefined
}
