import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@storey/kit/log'

/** The user id and group id of a stack. If empty, the stack has those of this process. */
export interface Identity {
  uid?: number
  gid?: number
}

/** The system users that stacks run as. */
export interface StackUsers {
  /** Whether each sandbox has a separate user. */
  isSeparate: boolean
  identityOf(sandboxId: string): Identity
  /** Gives a folder, and what is in it, to the user of a sandbox. */
  own(folder: string, sandboxId: string): Promise<void>
}

const SAME_USER: StackUsers = { isSeparate: false, identityOf: () => ({}), own: async () => undefined }

export interface StackUsersOptions {
  /** The parent of the sandboxes' folders. */
  folder: string
  /** Paths that stacks read: programs, certificates, compiled code. */
  reads: readonly string[]
  log: Log
}

/** User ids for stacks, far above those of accounts, services and containers. */
const WIDE = { first: 0x4000_0000, count: 2 ** 28 }
/** User ids for namespaces that map only a few ids, such as those of containers: above accounts, below `nobody`. */
const NARROW = { first: 20_000, count: 40_000 }

/**
 * If the service runs as root, each sandbox gets a user id of its own. Then the processes of a sandbox cannot read the
 * secrets of the service, the files of PostgreSQL or the files of other sandboxes, and cannot signal or inspect other
 * processes. If such a user cannot run stacks, all stacks run as root, and the reason is logged.
 */
export function chooseStackUsers({ folder, reads, log }: StackUsersOptions): StackUsers {
  if (process.getuid?.() !== 0) return SAME_USER
  const { first, count } = isMapped(WIDE) ? WIDE : NARROW
  const uidOf = (sandboxId: string) => first + (createHash('sha256').update(sandboxId).digest().readUInt32BE() % count)
  const obstacle = probe(uidOf('a sandbox to try it with'), folder, reads)
  if (obstacle !== undefined) {
    log.warn({ reason: obstacle }, 'running stacks as root, separate users are not available')
    return SAME_USER
  }
  return {
    isSeparate: true,
    identityOf(sandboxId) {
      const uid = uidOf(sandboxId)
      return { uid, gid: uid }
    },
    own: (path, sandboxId) => chownTree(path, uidOf(sandboxId)),
  }
}

/** Whether the user namespace of this process maps these ids. */
function isMapped({ first, count }: typeof WIDE): boolean {
  try {
    const lines = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n')
    return lines.some((line) => {
      const [from = 0, , length = 0] = line.trim().split(/\s+/).map(Number)
      return from <= first && first + count <= from + length
    })
  } catch {
    return false
  }
}

const ACCESS_TEST = `
  const fs = require('node:fs')
  for (const path of process.argv.slice(1)) fs.accessSync(path, fs.statSync(path).isDirectory() ? fs.constants.X_OK : fs.constants.R_OK)
  fs.writeFileSync('file', '')`

/** The reason why this user cannot run stacks; undefined if the user can. */
function probe(uid: number, folder: string, reads: readonly string[]): string | undefined {
  let own: string | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 })
    // Stacks of earlier versions ran as root, and those versions created the folder without access for other users.
    chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011)
    own = mkdtempSync(join(folder, '.try-'))
    chownSync(own, uid, uid)
    const { error, status, stderr } = spawnSync(process.execPath, ['-e', ACCESS_TEST, own, ...reads], {
      uid,
      gid: uid,
      cwd: own,
      env: {},
      encoding: 'utf8',
    })
    if (error) return error.message
    if (status !== 0) return /Error: .*/.exec(stderr)?.[0] ?? `a process ended with ${status}`
    // This process must be able to change files of that user.
    writeFileSync(join(own, 'file'), 'ours')
    rmSync(own, { recursive: true })
    return undefined
  } catch (err) {
    return (err as Error).message
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true })
  }
}

/** Skips a folder that already belongs to the user: a folder gets its new owner only after everything in it. */
async function chownTree(path: string, uid: number): Promise<void> {
  const found = await lstat(path)
  if (found.uid === uid) return
  if (found.isDirectory()) for (const name of await readdir(path)) await chownTree(join(path, name), uid)
  await lchown(path, uid, uid)
}
