import {
  availableConnections,
  type Database,
  keepsSessions,
  MIN_SERVER_VERSION,
  mayCreateDatabases,
  openDatabase,
  readMigrations,
  serverFacts,
} from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import { CONTROL_MIGRATIONS } from '@storey/provisioning/operator'
import { planConnections } from '../../connection-plan.ts'
import { findObstacle } from '../../incomplete-control.ts'
import type { Settings } from '../../settings.ts'
import { appliedChecksums, clockDifferenceMs, type DatabaseFacts, readFacts } from './database.store.ts'
import { Findings, reasonOf } from './finding.ts'
import { plannedForStacks } from './planned-connections.ts'

const LIMIT_MS = 20_000
const CLOCK = { warningMs: 2_000, problemMs: 60_000 }
const FULL_SHARE = 0.9

/** Checks the control database and its server. The caller makes sure that the database can be reached. */
export async function checkDatabase(control: Database, controlUrl: string, settings: Settings): Promise<Findings> {
  const found = new Findings('database')
  const facts = await within(LIMIT_MS, readFacts(control))
  checkServer(facts, found)
  if (settings.databaseUrl && facts.isSuperuser)
    found.warning('the role in DATABASE_URL is a superuser', 'CREATEDB and CREATEROLE are enough (docs/operations.md)')
  checkEncryption(facts, settings.databaseUrl, 'DATABASE_URL', found)
  await checkRole(control, found)
  await checkConnections(control, facts, settings, found)
  await checkClock(control, found)
  await checkMigrations(control, found)
  if (settings.databaseUrl) await checkPooler(controlUrl, 'DATABASE_URL', found)
  return found
}

export function checkServer(facts: DatabaseFacts, found: Findings): void {
  const version = Number.parseInt(facts.version, 10)
  const text = `PostgreSQL ${facts.version}`
  if (version < MIN_SERVER_VERSION) found.problem(`${text} is too old`, `use PostgreSQL ${MIN_SERVER_VERSION} or later`)
  else found.ok(text)
  if (facts.isReadOnly)
    found.problem('the server is a standby, which is read-only', 'let its address point to the primary')
  if (facts.fsync !== 'on' || facts.fullPageWrites !== 'on')
    found.problem(
      'fsync or full_page_writes is off: a crash of the machine can destroy the database',
      'set both to on in postgresql.conf',
    )
  else
    found.ok(
      'fsync and full_page_writes are on; Storey turns synchronous_commit on for its own connections where it is off',
    )
  if (facts.autovacuum !== 'on')
    found.warning(
      'autovacuum is off',
      'set it to on: Storey vacuums only the control database and the databases of awake sandboxes',
    )
  if (facts.hasOtherCollation)
    found.warning(
      `the collation ${facts.collate} has another version than when the database was created: indexes may be wrong`,
      'reindex the database, then run alter database … refresh collation version',
    )
}

const LOOPBACK = /^(localhost|127\..*|\[::1\]|)$/

export function checkEncryption(
  { isEncrypted }: DatabaseFacts,
  url: URL | undefined,
  setting: string,
  found: Findings,
): void {
  if (url === undefined || LOOPBACK.test(url.hostname)) return
  const mode = url.searchParams.get('sslmode')
  if (!isEncrypted)
    found.warning('the connection is not encrypted', `add ?sslmode=verify-full to ${setting} (deploy/postgresql)`)
  else if (mode !== 'verify-full')
    found.warning(
      `the connection is encrypted, but sslmode is ${mode ?? 'not set'}: another server could answer`,
      `add ?sslmode=verify-full to ${setting}, and for a private authority set NODE_EXTRA_CA_CERTS to the file with its certificate`,
    )
  else found.ok('the connection is encrypted, and the certificate is verified')
}

async function checkRole(control: Database, found: Findings): Promise<void> {
  const { mayFill, encoding, name, role } = await serverFacts(control)
  if (!(await mayCreateDatabases(control)))
    found.problem(`the role ${role} cannot create databases and roles`, `alter role "${role}" createdb createrole`)
  if (!mayFill)
    found.problem(`the role ${role} cannot create tables in ${name}`, `alter database "${name}" owner to "${role}"`)
  if (encoding !== 'UTF8')
    found.problem(`the database has the encoding ${encoding}`, 'create one with the encoding UTF8')
}

async function checkConnections(
  control: Database,
  { maxConnections, usedConnections }: DatabaseFacts,
  settings: Settings,
  found: Findings,
): Promise<void> {
  const { databaseConnections } = settings
  const available = await availableConnections(control)
  if (databaseConnections !== undefined && databaseConnections > available)
    found.warning(
      `DATABASE_CONNECTIONS is ${databaseConnections}, but the server allows only ${available} connections`,
      'lower it, or raise max_connections',
    )
  const budget = Math.min(databaseConnections ?? available, available)
  try {
    const { control: own, stacks } = planConnections(budget, {
      isShared: settings.kubernetes !== undefined,
      replicas: settings.kubernetes?.replicas ?? 1,
    })
    found.ok(
      `${budget} connections: ${own} for the control plane, ${stacks} for stacks; ${usedConnections} are open now`,
    )
    await checkRunningPlan(settings, stacks, found)
  } catch (err) {
    found.problem(reasonOf(err), 'see Capacity in docs/operations.md')
  }
  if (usedConnections > maxConnections * FULL_SHARE)
    found.warning(
      `${usedConnections} of ${maxConnections} connections are in use`,
      'raise max_connections, or lower DATABASE_CONNECTIONS if other programs use the server',
    )
}

/**
 * The service plans its connections when it starts. If the server allows fewer connections later, stacks can use up all
 * of them.
 */
async function checkRunningPlan(settings: Settings, stacks: number, found: Findings): Promise<void> {
  const planned = await plannedForStacks(settings)
  if (planned !== undefined && planned > stacks)
    found.problem(
      `the running service has planned ${planned} connections for stacks, but only ${stacks} are available for them now`,
      'raise max_connections or DATABASE_CONNECTIONS again, or restart the service: it plans again at its start',
    )
}

async function checkClock(control: Database, found: Findings): Promise<void> {
  const differenceMs = Math.round(await clockDifferenceMs(control))
  const text = `the clock of the server is ${Math.abs(differenceMs)} ms ${differenceMs < 0 ? 'behind' : 'ahead of'} this one`
  const advice = 'synchronize the clocks of both machines (NTP)'
  if (Math.abs(differenceMs) > CLOCK.problemMs)
    found.problem(`${text}: sandboxes do not expire, and nothing is removed because of its age`, advice)
  else if (Math.abs(differenceMs) > CLOCK.warningMs) found.warning(text, advice)
  else found.ok('the clocks agree')
}

/** Whether the control database is complete, and has exactly the migrations of this program. */
export async function hasNewestSchema(control: Database): Promise<boolean> {
  if ((await findObstacle(control)) !== undefined) return false
  const known = readMigrations(CONTROL_MIGRATIONS)
  const applied = await appliedChecksums(control, 'schema_migrations')
  return applied?.length === known.length && known.every(({ checksum }, i) => applied[i] === checksum)
}

async function checkMigrations(control: Database, found: Findings): Promise<void> {
  const obstacle = await findObstacle(control)
  if (obstacle !== undefined)
    return found.problem(
      `the control database ${obstacle.reason}`,
      `${obstacle.advice}: until then the service does not start`,
    )
  const known = readMigrations(CONTROL_MIGRATIONS)
  const applied = await appliedChecksums(control, 'schema_migrations')
  const changed = known.find(({ checksum }, i) => (applied?.[i] ?? checksum) !== checksum)
  if (applied === undefined) found.warning('the control database is empty', 'start the service: it creates the tables')
  else if (applied.length > known.length)
    found.problem('the control database is newer than this program', 'update the program, or restore a backup')
  else if (changed)
    found.problem(
      `migration ${changed.version} of the control database was applied with another text than this program has: the service does not start`,
      'install the version that migrated it, or restore a backup',
    )
  else if (applied.length < known.length)
    found.warning(
      `migrations of the control database are due (${known.length - applied.length}), so sandboxes and their servers were not checked`,
      'start the service: it applies them',
    )
  else found.ok('the control database has the newest schema')
}

export async function checkPooler(url: string, setting: string, found: Findings): Promise<void> {
  if (await keepsSessions(url, 'storey-doctor').catch(() => true)) return
  found.problem(`${setting} points to a pooler in transaction mode`, 'use session mode, or PostgreSQL itself')
}

/** Opens the control database, or a database of another server, for the doctor. */
export const openControl = (url: string): Database =>
  openDatabase({ url, log: silentLog, applicationName: 'storey-doctor', maxConnections: 2 })
