import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@storey/kit/processes'
import { hasBeenUsed, isUnused, runningService } from '../../data-folder.ts'
import type { Settings } from '../../settings.ts'
import { Findings, reasonOf } from './finding.ts'

const MB = 1024 * 1024
const LOW = { bytes: 2_048 * MB, share: 0.1 }
const OUT = { bytes: 256 * MB, share: 0.02 }
const SECRETS = ['master-secret', 'demo-password']

/**
 * Checks the data folder: who may write to it and read its secrets, the free space, and files that killed processes
 * have left there.
 */
export function checkFolder({ dataDir, databaseUrl, masterSecret, mode }: Settings): Findings {
  const found = new Findings('data folder')
  if (isUnused(dataDir) && (databaseUrl === undefined || masterSecret === undefined)) {
    found.problem(
      `no service has used ${dataDir} yet`,
      'set DATA_DIR to the data folder of your service, or start the service first',
    )
    return found
  }
  if (!hasBeenUsed(dataDir)) {
    found.warning(`no service has used ${dataDir} yet`, 'run the doctor with the settings of the service')
    return found
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (err) {
    found.problem(`${dataDir} cannot be used: ${reasonOf(err)}`, 'run the doctor and the service as the same user')
    return found
  }
  checkAccess(dataDir, found)
  checkSpace(dataDir, found)
  checkLocks(dataDir, found)
  if (mode === 'production' && existsSync(join(dataDir, 'demo-password')))
    found.warning(
      'the data folder was used in development mode, so the demo account may exist',
      'run operator account disable developer@example.com, and remove the file demo-password',
    )
  return found
}

function checkAccess(dataDir: string, found: Findings): void {
  // Windows has no POSIX file modes.
  if (process.platform === 'win32') return
  const folder = statSync(dataDir)
  if ((folder.mode & 0o022) !== 0) found.problem(`other users may write to ${dataDir}`, `chmod go-w ${dataDir}`)
  const mine = process.getuid?.()
  if (folder.uid !== mine && mine !== 0)
    found.warning(`${dataDir} belongs to user ${folder.uid}, not to you`, 'run the doctor as the user of the service')
  for (const name of SECRETS) {
    const file = join(dataDir, name)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) continue
    if ((stats.mode & 0o077) !== 0) found.problem(`other users may read ${file}`, `chmod 600 ${file}`)
    else if (stats.size < 2) found.problem(`${file} is empty`, 'restore it from a backup')
    else found.ok(`${name} is readable by its owner only`)
  }
}

function checkSpace(dataDir: string, found: Findings): void {
  const { bavail, blocks, bsize, ffree, files } = statfsSync(dataDir)
  const free = bavail * bsize
  const text = `${Math.round(free / MB)} MB of its disk are free, ${Math.round((bavail / blocks) * 100)} %`
  const isBelow = (limit: typeof LOW) => free < limit.bytes || bavail / blocks < limit.share
  if (isBelow(OUT)) found.problem(text, 'free space now: on a full disk nothing is stored')
  else if (isBelow(LOW)) found.warning(text, 'free space, or move DATA_DIR to a larger disk')
  else found.ok(text)
  if (files > 0 && ffree / files < OUT.share)
    found.problem(`only ${ffree} inodes are free`, 'remove files from the disk')
}

function checkLocks(dataDir: string, found: Findings): void {
  if (existsSync(join(dataDir, 'storey.pid')) && !runningService(dataDir))
    found.warning(
      'storey.pid is left from a service that was killed',
      'start the service: it replaces the file and continues unfinished work',
    )
  const lock = join(dataDir, 'postgres', 'postmaster.pid')
  if (existsSync(lock) && !isAlive(Number(readFileSync(lock, 'utf8').split('\n')[0])))
    found.warning(
      'postgres/postmaster.pid is left from a server that was killed',
      'start the service: it recovers the database',
    )
  const drafts = readdirSync(dataDir).filter((name) => /^(master-secret|demo-password)\.\d+$/.test(name))
  for (const name of drafts) found.warning(`${name} is left from a start that was killed`, `rm ${join(dataDir, name)}`)
}
