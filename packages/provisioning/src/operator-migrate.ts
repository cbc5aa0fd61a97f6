import type { Database, Migration } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { findAny, findBoundary, listMissing, listOwned, markBehind, type OwnedRow } from './features/sandboxes/index.ts'
import { migrateSandbox, withWorkLock } from './reconciler/index.ts'
import { ALL_IDS, readTenantVersion, refuseForeign, type TenantServers, tenantVersion } from './tenants/index.ts'

export interface OperatorMigrateDeps {
  control: Database
  servers: TenantServers
  migrations: readonly Migration[]
  log: Log
}

export interface DueMigration {
  id: string
  slug: string
  /** The current schema version; null: it could not be read. */
  from: number | null
  to: number
  /** The reason why the database cannot be migrated. */
  problem?: string
}

/** A sandbox that `migrateAll` has worked on. */
export interface Migrated extends Omit<DueMigration, 'problem'> {
  /** `migrated`, or the reason why not. */
  outcome: string
}

type OpenState = Pick<OwnedRow, 'status' | 'expiredAt' | 'removingAt' | 'serverId'>

const isOpen = ({ status, expiredAt, removingAt, serverId }: OpenState) =>
  status === 'ready' && !expiredAt && !removingAt && serverId !== null

const PAGE = 1_000

async function* openSandboxes(control: Database): AsyncGenerator<OwnedRow> {
  for (let after: string | undefined = ALL_IDS.after; after !== undefined; ) {
    const boundary: string | undefined = await findBoundary(control, after, PAGE)
    yield* (await listOwned(control, { after, upTo: boundary ?? ALL_IDS.upTo })).filter(isOpen)
    after = boundary
  }
}

/**
 * Sandboxes whose databases have an older or newer schema than this program, cannot be read, or are missing. With
 * `isReadOnly` nothing is changed, not even the password of a role. A database is then reported as a problem if its
 * role does not have the password that is derived from the master secret.
 */
export async function migrationsDue(deps: OperatorMigrateDeps, { isReadOnly = false } = {}): Promise<DueMigration[]> {
  const { control, migrations, servers } = deps
  const readVersion = isReadOnly ? readTenantVersion : tenantVersion
  const due: DueMigration[] = []
  for await (const { id, slug, serverId } of openSandboxes(control)) {
    const to = migrations.length
    try {
      const from = await readVersion({ ...deps, tenants: servers.of(serverId!) }, id)
      if (from < to) due.push({ id, slug, from, to })
      if (from > to) due.push({ id, slug, from, to, problem: 'newer than this program: update the program' })
    } catch (err) {
      // The sandbox may have been deleted meanwhile.
      const row = await findAny(control, id)
      if (row && isOpen(row)) due.push({ id, slug, from: null, to, problem: (err as Error).message })
    }
  }
  for (const { id, slug } of await listMissing(control)) {
    const problem = 'the database is missing: reset or delete the sandbox'
    due.push({ id, slug, from: null, to: migrations.length, problem })
  }
  return due
}

/**
 * Migrates all sandboxes with an older schema, one after another, including those whose last migration failed. Returns
 * the number of failures.
 */
export async function migrateAll(deps: OperatorMigrateDeps, report: (one: Migrated) => void): Promise<number> {
  const { control, migrations, servers } = deps
  await refuseForeign(servers, ...servers.present().map(({ id }) => id))
  await markBehind(control, migrations.length)
  let failed = 0
  /** Returns undefined if the sandbox is not open any more. */
  const migrateOne = (id: string): Promise<string | undefined> =>
    control.session(async (session) => {
      let migrated = false
      const mine = await withWorkLock(session, id, async () => {
        const row = await findAny(control, id)
        if (!row || !isOpen(row)) return
        const stopStack = async () => undefined
        const tenants = servers.of(row.serverId!)
        migrated = await migrateSandbox({ ...deps, tenants, stopStack }, row, new AbortController().signal)
      })
      if (!mine) return 'the service is working on this sandbox'
      if (migrated) return 'migrated'
      const row = await findAny(control, id)
      return row && isOpen(row) ? (row.migrationFailure ?? 'not migrated') : undefined
    })
  for (const { problem, ...due } of await migrationsDue(deps)) {
    const outcome = problem ?? (await migrateOne(due.id))
    if (outcome === undefined) continue
    if (outcome !== 'migrated') failed++
    report({ ...due, outcome })
  }
  return failed
}
