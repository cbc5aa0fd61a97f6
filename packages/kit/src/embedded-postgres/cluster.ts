import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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
 * Creates the data folder, or checks an existing one. A new folder is a draft with another name until it is complete,
 * so an interrupted start leaves no incomplete folder with the final name.
 */
export function ensureCluster(folder: string, password: string, binaries: Binaries, runAs: RunAs): void {
  if (existsSync(folder)) {
    checkCluster(folder, binaries)
    ownCopy(folder, runAs)
    return
  }
  removeDrafts(folder)
  // The initdb of a killed start may still write to its draft, so each start has a draft of its own.
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

/** Changes the owner of a data folder that root has copied: it belongs to root, and PostgreSQL could not read it. */
function ownCopy(folder: string, runAs: RunAs): void {
  if (process.getuid?.() !== 0 || statSync(folder).uid !== 0) return
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) runAs.own(join(folder, name))
  // The folder itself is last: as long as it belongs to root, the next start repeats an interrupted change.
  runAs.own(folder)
}

/** Removes the drafts of killed starts. A draft to which another process still writes remains until the next start. */
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
      `The data folder ${folder} belongs to PostgreSQL ${version}, and this is PostgreSQL ${major}. Start the version of Storey that created it, or set DATA_DIR to another folder.`,
    )
  }
}

export interface RunningServer {
  pid: number
  port: number
}

/** The server that runs on this folder, from its postmaster.pid. */
export function findRunning(folder: string): RunningServer | undefined {
  const { pid, port } = readLock(folder)
  return pid > 0 && port > 0 && isServerOn(folder, pid) ? { pid, port } : undefined
}

const lockOf = (folder: string) => join(folder, 'postmaster.pid')

function readLock(folder: string): RunningServer {
  if (!existsSync(lockOf(folder))) return { pid: 0, port: 0 }
  const lines = readFileSync(lockOf(folder), 'utf8').split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]) }
}

/**
 * Whether the process is a PostgreSQL server on this folder. After a crash the id in the lock file may belong to
 * another program, and in a copy of the folder it may belong to the server of the original. Without /proc this cannot
 * be checked, and any running process with this id counts as the server.
 */
function isServerOn(folder: string, pid: number): boolean {
  if (!isAlive(pid)) return false
  if (!existsSync('/proc/self/cmdline')) return true
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const served = args[args.indexOf('-D') + 1] ?? ''
    return basename(program) === 'postgres' && realpathSync(served) === realpathSync(folder)
  } catch {
    return false
  }
}

/**
 * Makes PostgreSQL ignore the lock file of a server that has ended. PostgreSQL refuses to start while a process with
 * the id in this file runs, unless that process is the parent of the new server. So this function writes the id of its
 * own process. The rest of the file is kept: with it PostgreSQL finds out whether processes of the earlier server still
 * run.
 */
export function releaseLock(folder: string): void {
  const { pid } = readLock(folder)
  if (findRunning(folder) || !existsSync(lockOf(folder))) return
  const text = readFileSync(lockOf(folder), 'utf8')
  if (text.trim() === '') rmSync(lockOf(folder), { force: true })
  else if (pid > 0 && isAlive(pid)) writeFileSync(lockOf(folder), text.replace(/^\d+/, `${process.pid}`))
}
