import { type Database, readMigrations } from '@storey/kit/database'
import { MIGRATIONS_DIRECTORY } from '@storey/platform/program'
import {
  countDeadLetters,
  listForeign,
  listLeftovers,
  listMissing,
  listSetAside,
  RENAME_BACK,
  type TenantServers,
} from '@storey/provisioning/operator'
import type { Settings } from '../../settings.ts'
import { Findings } from './finding.ts'
import {
  countBehind,
  listFailed,
  listFailedMigrations,
  listNearlyFull,
  type NamedReason,
  readSandboxFacts,
} from './sandboxes.store.ts'

const MB = 1024 * 1024
const SHOWN = 3

/**
 * Checks the sandboxes and dead letters in the control database. If `servers` is present, also searches the servers and
 * `stacksFolder` for leftovers, and for databases that belong to another sandbox than their name says.
 */
export async function checkSandboxes(
  control: Database,
  servers: TenantServers | undefined,
  stacksFolder: string,
  settings: Settings,
): Promise<Findings> {
  const found = new Findings('sandboxes')
  const { ready, suspended, expired, stuck } = await readSandboxFacts(control)
  found.ok(`sandboxes: ${ready} ready, ${suspended} suspended, ${expired} expired and not yet removed`)
  if (stuck > 0)
    found.warning(
      `sandboxes in creation or removal for more than half an hour: ${stuck}`,
      'see the log of the service: it has the reason for each failed attempt',
    )
  const missing = await listMissing(control)
  const failed = (await listFailed(control)).filter(({ slug }) => !missing.some((one) => one.slug === slug))
  if (failed.length > 0)
    found.warning(
      `failed sandboxes (${failed.length}): ${some(failed)}`,
      'let the owners reset or delete these sandboxes',
    )
  if (missing.length > 0)
    found.problem(
      `sandboxes without a database (${missing.length}): ${names(missing)}`,
      'restore the databases from a backup, or let the owners reset or delete these sandboxes',
    )
  const migrations = await listFailedMigrations(control)
  if (migrations.length > 0)
    found.problem(
      `sandboxes that could not be migrated (${migrations.length}): ${some(migrations)}`,
      'run operator migrate: it prints the reasons',
    )
  const behind = await countBehind(control, readMigrations(MIGRATIONS_DIRECTORY).length)
  if (behind > 0)
    found.warning(`sandboxes with an older schema: ${behind}`, 'start the service, or run operator migrate')
  if (settings.sandboxStorageMb > 0) {
    const full = await listNearlyFull(control, settings.sandboxStorageMb * MB)
    if (full.length > 0)
      found.warning(
        `sandboxes at 90 % or more of SANDBOX_STORAGE_MB (${full.length}): ${some(full)}`,
        'raise it, or let the owners delete data or shorten the retention',
      )
  }
  if (servers) await checkLeftovers(control, servers, stacksFolder, found)
  const letters = await countDeadLetters(control, 1)
  if (letters.total > 0)
    found.warning(`dead letters: ${letters.total}`, 'run operator dead-letters, then resend or delete them')
  return found
}

async function checkLeftovers(
  control: Database,
  servers: TenantServers,
  stacksFolder: string,
  found: Findings,
): Promise<void> {
  const foreign = await listForeign(control, servers, stacksFolder)
  if (foreign.length > 0)
    found.problem(
      `sandboxes under whose database name is the database of another sandbox: ${cut(foreign.map(({ id, ofSandbox }) => `${id} (of ${ofSandbox})`))}`,
      RENAME_BACK,
    )
  const setAside = await listSetAside(servers)
  if (setAside.length > 0)
    found.problem(
      `databases that were set aside (renamed) instead of dropped: ${cut(setAside)}`,
      'rename each to the name of the database of its sandbox, or drop it',
    )
  const listed = await listLeftovers(control, servers, stacksFolder)
  const renamed = listed.filter(({ ofSandbox }) => ofSandbox !== null)
  if (renamed.length > 0)
    found.problem(
      `databases without a sandbox that were renamed: ${cut(renamed.map(({ id, ofSandbox }) => `${id} (belongs to ${ofSandbox})`))}`,
      `${RENAME_BACK}; operator leftovers lists them`,
    )
  const needed = listed.filter(({ isNeeded, ofSandbox }) => isNeeded && ofSandbox === null)
  const leftovers = listed.filter(({ isNeeded }) => !isNeeded)
  if (needed.length > 0)
    found.warning(
      `sandboxes whose database is not on the server that the control database names: ${needed.length}`,
      'start the service: it uses the database if only one server has it; if two servers have one, run operator sandbox adopt',
    )
  // A leftover that is neither needed nor certainly unneeded is quarantined.
  const quarantined = leftovers.filter(({ isUnneeded }) => !isUnneeded)
  if (quarantined.length > 0)
    found.warning(
      `databases, roles or folders without a sandbox, quarantined: ${quarantined.length}`,
      'run operator leftovers, which lists them, then restore a newer control database, or drop them',
    )
  else if (leftovers.length > 0) found.ok(`leftovers to be dropped at the next sweep: ${leftovers.length}`)
  else found.ok('no database, role or folder is left over')
}

const names = (rows: readonly { slug: string }[]) => cut(rows.map(({ slug }) => slug))
const some = (rows: readonly NamedReason[]) => cut(rows.map(({ slug, reason }) => `${slug} (${reason.slice(0, 120)})`))
const cut = (texts: readonly string[]) => `${texts.slice(0, SHOWN).join(', ')}${texts.length > SHOWN ? ' …' : ''}`
