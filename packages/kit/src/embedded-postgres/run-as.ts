import { spawnSync } from 'node:child_process'
import { existsSync, lchownSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartupError } from '../startup-error.ts'

/**
 * The user that runs PostgreSQL: the current user or, if this process is root, another user, because PostgreSQL does
 * not run as root.
 */
export interface RunAs {
  command(program: string, args: readonly string[]): [program: string, args: string[]]
  identity: { uid?: number; gid?: number }
  /** Changes the owner of a path to that user. */
  own(path: string): void
}

const ourselves: RunAs = {
  command: (program, args) => [program, [...args]],
  identity: {},
  own: () => undefined,
}

interface Account {
  name: string
  uid: number
  gid: number
}

/**
 * If this process is root, PostgreSQL runs as the user `postgres` or, if that user does not exist, as `nobody`. These
 * users cannot enter a private folder such as /root. If one of `paths` is such a folder or below one, PostgreSQL keeps
 * a capability (CAP_DAC_OVERRIDE) with which it can enter the folder. If the data folder `cluster` exists and does not
 * belong to root, PostgreSQL runs as the owner of the data folder.
 */
export function chooseUser(paths: readonly string[], cluster?: string): RunAs {
  if (process.getuid?.() !== 0) return ourselves
  const account = ownerOf(cluster) ?? findAccount(['postgres', 'nobody'])
  if (account === undefined) {
    throw new StartupError(
      'PostgreSQL refuses to run as root, and no user "postgres" or "nobody" exists: run as an ordinary user.',
    )
  }
  const { uid, gid } = account
  const own = (path: string) => lchownSync(path, uid, gid)
  const blocked = paths.flatMap(ancestors).find((folder) => !mayEnter(folder, account))
  if (blocked === undefined) return { command: ourselves.command, identity: { uid, gid }, own }
  if (spawnSync('setpriv', ['--version'], { stdio: 'ignore' }).status !== 0) {
    throw new StartupError(
      `PostgreSQL refuses to run as root, and the user "${account.name}" cannot enter ${blocked}: move the program and its data to a folder that this user can enter, set DATA_DIR, or run as an ordinary user.`,
    )
  }
  const setpriv = [
    // initdb finds its programs with access(2), which ignores the capability without this bit.
    ...['--securebits', '+no_setuid_fixup', '--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups'],
    ...['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override', '--'],
  ]
  return {
    command: (program, args) => ['setpriv', [...setpriv, program, ...args]],
    identity: {},
    own,
  }
}

function ownerOf(cluster: string | undefined): Account | undefined {
  if (cluster === undefined || !existsSync(cluster)) return undefined
  const { uid, gid } = statSync(cluster)
  return uid === 0 ? undefined : { name: `${uid}`, uid, gid }
}

function findAccount(names: readonly string[]): Account | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const accounts = lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':')
    return { name, uid: Number(uid), gid: Number(gid) }
  })
  return names.map((name) => accounts.find((account) => account.name === name)).find((account) => account !== undefined)
}

function ancestors(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...ancestors(parent), path]
}

function mayEnter(folder: string, { uid, gid }: Account): boolean {
  const { mode, uid: owner, gid: group } = statSync(folder)
  if (owner === uid) return (mode & 0o100) !== 0
  if (group === gid) return (mode & 0o010) !== 0
  return (mode & 0o001) !== 0
}
