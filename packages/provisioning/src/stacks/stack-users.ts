import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { lchown, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@storey/kit/log'

/** Whom the processes of sandboxes run as. */
export interface StackUsers {
  /** Whether each sandbox has a user of its own. */
  isSeparate: boolean
  /** Empty: as ourselves. */
  identityOf(sandboxId: string): { uid?: number; gid?: number }
  /** Gives a folder, and what is in it, to the user of a sandbox. */
  own(folder: string, sandboxId: string): Promise<void>
}

const OURSELVES: StackUsers = { isSeparate: false, identityOf: () => ({}), own: async () => undefined }

export interface StackUsersOptions {
  /** Where the folders of sandboxes lie. */
  folder: string
  /** What their processes read: programs, certificates, compiled code. */
  reads: readonly string[]
  log: Log
}

/** Numbers that no account has: far above those of people and services, and of containers. */
const WIDE = { first: 0x4000_0000, count: 2 ** 28 }
/** Where the system knows only some numbers, as in a container: between people and the unprivileged rest. */
const NARROW = { first: 20_000, count: 40_000 }

/**
 * Root gives each sandbox a user of its own, a number without an account: its processes can read neither our secrets
 * nor the files of PostgreSQL or of another sandbox, and can neither signal nor inspect anybody else's. Who is not root
 * cannot do that. Where such a user could not work, all run as root as they would have, and one line tells why.
 */
export function chooseStackUsers({ folder, reads, log }: StackUsersOptions): StackUsers {
  if (process.getuid?.() !== 0) return OURSELVES
  const { first, count } = knows(WIDE) ? WIDE : NARROW
  const uidOf = (sandboxId: string) => first + (createHash('sha256').update(sandboxId).digest().readUInt32BE() % count)
  const obstacle = tryOut(uidOf('a sandbox to try it with'), folder, reads)
  if (obstacle !== undefined) {
    log.warn({ reason: obstacle }, 'stacks run as root, not as users of their own')
    return OURSELVES
  }
  return {
    isSeparate: true,
    identityOf(sandboxId) {
      const uid = uidOf(sandboxId)
      return { uid, gid: uid }
    },
    own: (path, sandboxId) => giveTo(path, uidOf(sandboxId)),
  }
}

/** Whether the system lets this process use these numbers, by its map of users where it has one. */
function knows({ first, count }: typeof WIDE): boolean {
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

const TRY = `
  const fs = require('node:fs')
  for (const path of process.argv.slice(1)) fs.accessSync(path, fs.statSync(path).isDirectory() ? fs.constants.X_OK : fs.constants.R_OK)
  fs.writeFileSync('file', '')`

/** What stands in the way of such a user; undefined: nothing. */
function tryOut(uid: number, folder: string, reads: readonly string[]): string | undefined {
  let own: string | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 })
    // An earlier version closed it: its stacks were root.
    chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011)
    own = mkdtempSync(join(folder, '.try-'))
    chownSync(own, uid, uid)
    const { error, status, stderr } = spawnSync(process.execPath, ['-e', TRY, own, ...reads], {
      uid,
      gid: uid,
      cwd: own,
      env: {},
      encoding: 'utf8',
    })
    if (error) return error.message
    if (status !== 0) return /Error: .*/.exec(stderr)?.[0] ?? `a process ended with ${status}`
    // What they leave is ours to remove.
    writeFileSync(join(own, 'file'), 'ours')
    rmSync(own, { recursive: true })
    return undefined
  } catch (err) {
    return (err as Error).message
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true })
  }
}

/** A folder that is theirs already is not looked into: what is in it was made by them. */
async function giveTo(path: string, uid: number): Promise<void> {
  const found = await lstat(path)
  if (found.uid === uid) return
  if (found.isDirectory()) for (const name of await readdir(path)) await giveTo(join(path, name), uid)
  await lchown(path, uid, uid)
}
