import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { BASE62 } from '@storey/contract'
import { isAlive } from '@storey/kit/processes'
import { randomText } from '@storey/kit/secrets'
import { StartupError } from '@storey/kit/startup-error'

/** The service's data on this machine. */
export interface DataFolder {
  path: string
  postgres: string
  sandboxes: string
  compileCache: string
  /**
   * Locks the folder for this process and writes the service's address into the lock file. Throws while another process
   * holds the lock.
   */
  lock(address: URL): void
  unlock(): void
  /** True if the folder was deleted or emptied while this process held its lock. */
  isGone(): boolean
  /** The address of the running service that uses this folder. */
  runningAddress(): URL | undefined
  /** The given secret, or the one in the folder. If the folder has no secret, a new one is created there. */
  masterSecret(given: string | undefined): string
  /** Like `masterSecret`, but throws if there is no secret, so that a program that is not the service creates none. */
  existingMasterSecret(given: string | undefined): string
  /** Whether the folder has an embedded database. */
  hasDatabase(): boolean
  demoPassword(): string
  hasDemoPassword(): boolean
}

const CREATED_AT_START = ['storey.pid', 'master-secret', 'demo-password', join('postgres', 'PG_VERSION')]

/**
 * True if the folder has neither a lock, a secret nor a database. It may still have been used, by a service whose
 * database and master secret are elsewhere: see `hasBeenUsed`.
 */
export const isUnused = (path: string) => !CREATED_AT_START.some((name) => existsSync(join(path, name)))

/** True if a service has used the folder, even one whose database and master secret are elsewhere. */
export const hasBeenUsed = (path: string) =>
  !isUnused(path) || ['sandboxes', 'cache'].some((name) => existsSync(join(path, name)))

/** The running service that uses the folder; undefined if none does. */
export function runningService(path: string): { pid: number; address: URL | undefined } | undefined {
  const lock = readLock(join(path, 'storey.pid'))
  return lock && isStorey(lock.pid) ? lock : undefined
}

export function openDataFolder(path: string): DataFolder {
  // If this process is root, PostgreSQL and stacks run as other users, which must be able to enter the folder. These
  // users need no permission to list the folder.
  const isRoot = process.getuid?.() === 0
  const mode = isRoot ? 0o711 : 0o700
  try {
    makeFolder(path, mode)
    const found = statSync(path)
    if (!found.isDirectory()) throw new Error('it is a file')
    if (isRoot && found.uid === 0) chmodSync(path, (found.mode & 0o777) | 0o011)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw cannotUse(path, cause)
  }
  const lockFile = join(path, 'storey.pid')
  const demoFile = join(path, 'demo-password')
  return {
    path,
    postgres: join(path, 'postgres'),
    sandboxes: join(path, 'sandboxes'),
    compileCache: join(path, 'cache'),
    lock(address) {
      const holder = readLock(lockFile)?.pid
      // In a container that is started again, this process and its parent often have the ids of earlier processes. So
      // a lock with one of these two ids is ignored.
      if (holder !== undefined && ![process.pid, process.ppid].includes(holder) && isStorey(holder)) {
        throw new StartupError(
          `Another Storey process uses the data folder ${path} (process ${holder}). Stop it, or set DATA_DIR.`,
        )
      }
      try {
        writeFileSync(lockFile, `${process.pid}\n${address.href}\n`)
      } catch (cause) {
        throw cannotUse(path, cause)
      }
    },
    unlock: () => rmSync(lockFile, { force: true }),
    isGone: () => isUnused(path),
    runningAddress: () => runningService(path)?.address,
    masterSecret: (given) => given ?? keepMasterSecret(path),
    existingMasterSecret: (given) => given ?? existingMasterSecret(path),
    hasDatabase: () => hasDatabase(path),
    demoPassword: () => keepSecret(demoFile, () => randomText(BASE62, 16)),
    hasDemoPassword: () => existsSync(demoFile),
  }
}

/** Creates one level at a time, because Node's recursive mkdir never returns for some paths, such as below /proc. */
function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return
  makeFolder(dirname(path), mode)
  mkdirSync(path, { mode })
}

export function cannotUse(path: string, cause: unknown): StartupError {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new StartupError(`No space is left for the data folder ${path}. Free some disk space and start again.`, {
      cause,
    })
  }
  if (code === 'EROFS') {
    return new StartupError(
      `The data folder ${path} is on a read-only file system. Make it writable, and start again. If the system made it read-only because of errors, check the disk first.`,
      { cause },
    )
  }
  const isDenied = code === 'EACCES' || code === 'EPERM'
  const reason = isDenied ? 'permission denied' : code === 'EEXIST' ? 'it is a file' : message
  return new StartupError(`The data folder ${path} cannot be used: ${reason}. Set DATA_DIR to another folder.`, {
    cause,
  })
}

/**
 * The secret is created before the database, so if only the database exists, the secret was lost. A new secret could
 * not open the database, and would hide the loss.
 */
function keepMasterSecret(path: string): string {
  const file = join(path, 'master-secret')
  if (!existsSync(file) && hasDatabase(path))
    throw new StartupError(
      `The master secret ${file} is missing, and the database in this folder cannot be opened without it. Restore it from a backup, or set MASTER_SECRET.`,
    )
  return keepSecret(file, () => randomBytes(32).toString('hex'))
}

const hasDatabase = (path: string) => existsSync(join(path, 'postgres', 'PG_VERSION'))

function existingMasterSecret(path: string): string {
  if (!existsSync(join(path, 'master-secret')) && !hasDatabase(path))
    throw new StartupError(
      `The data folder ${path} has no master secret. Set MASTER_SECRET to the secret of your service.`,
    )
  return keepMasterSecret(path)
}

/** Reads the secret from the file. On first use the file is created, readable by its owner only. */
function keepSecret(file: string, make: () => string): string {
  if (!existsSync(file)) createAtomically(file, `${make()}\n`)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret === '') throw new StartupError(`The file ${file} is damaged: it is empty. Restore it from a backup.`)
  return secret
}

/**
 * Creates a file that is never incomplete, not even on a full disk or when the process is killed. An existing file is
 * kept.
 */
function createAtomically(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    publish(draft, file)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotUse(dirname(file), cause)
  } finally {
    rmSync(draft, { force: true })
  }
}

function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (err) {
    // Some network disks do not support hard links. If two services start on such a disk at the same time, the later
    // rename wins.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes((err as NodeJS.ErrnoException).code!)) throw err
    renameSync(draft, file)
  }
}

function readLock(file: string): { pid: number; address: URL | undefined } | undefined {
  if (!existsSync(file)) return undefined
  const [pid = '', address = ''] = readFileSync(file, 'utf8').split('\n')
  // The file may be empty, because the disk was full or the service was killed. The process id 0 is not accepted: a
  // signal to it goes to a group of processes and succeeds.
  if (!/^[1-9]\d*$/.test(pid)) return undefined
  return { pid: Number(pid), address: URL.canParse(address) ? new URL(address) : undefined }
}

/**
 * Whether the process is a running service. After a reboot the process id may belong to another program, so the command
 * line is checked where it is available. The command line of a service contains `host/src/main`, for the sources and
 * for their build.
 */
function isStorey(pid: number): boolean {
  if (!isAlive(pid)) return false
  const commandLine = `/proc/${pid}/cmdline`
  return existsSync(commandLine) ? readFileSync(commandLine, 'utf8').includes('host/src/main') : true
}
