import type { Database, Migration } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { markBehind } from './features/sandboxes/migrations.store.ts'
import { findAny, listAll, type SandboxRow } from './features/sandboxes/sandboxes.store.ts'
import { installationTag } from './installation.store.ts'
import { migrateSandbox } from './reconciler/migrate.ts'
import { underWorkLock } from './reconciler/work-lock.store.ts'
import { tenantVersion } from './tenants/migrate-tenant.ts'
import { tenantAddresses } from './tenants/tenants.ts'

export interface OperatorMigrateDeps {
  control: Database
  masterSecret: string
  serverUrl: string
  migrations: readonly Migration[]
  log: Log
}

export interface DueMigration {
  id: string
  slug: string
  from: number
  to: number
}

const isOpen = ({ status, expiredAt, removingAt }: SandboxRow) => status === 'ready' && !expiredAt && !removingAt

/** Which sandboxes are behind, by what their databases tell. */
export async function migrationsDue(deps: OperatorMigrateDeps): Promise<DueMigration[]> {
  const { control, migrations } = deps
  const tenants = await addressesOf(deps)
  const due: DueMigration[] = []
  for (const { id, slug } of (await listAll(control)).filter(isOpen)) {
    const from = await tenantVersion({ ...deps, tenants }, id).catch(async (err) => {
      // It may have been deleted meanwhile.
      const row = await findAny(control, id)
      if (row && isOpen(row)) throw err
    })
    if (from !== undefined && from < migrations.length) due.push({ id, slug, from, to: migrations.length })
  }
  return due
}

/** Migrates all that are behind, one after the other, also those that failed before. Tells how many failed. */
export async function migrateAll(deps: OperatorMigrateDeps, tell: (line: string) => void): Promise<number> {
  const { control, migrations } = deps
  const tenants = await addressesOf(deps)
  await markBehind(control, migrations.length)
  let failed = 0
  for (const { id, from, to } of await migrationsDue(deps)) {
    const outcome = await control.session(async (session) => {
      let migrated = false
      const mine = await underWorkLock(session, id, async () => {
        const row = await findAny(control, id)
        if (!row || !isOpen(row)) return
        const stopStack = async () => undefined
        migrated = await migrateSandbox({ ...deps, tenants, stopStack }, row, new AbortController().signal)
      })
      if (!mine) return 'the service is at it'
      return migrated ? 'migrated' : ((await findAny(control, id))?.migrationFailure ?? 'not migrated')
    })
    if (outcome !== 'migrated') failed++
    tell([id, from, to, outcome].join('\t'))
  }
  return failed
}

async function addressesOf(deps: OperatorMigrateDeps) {
  return tenantAddresses({ ...deps, installationTag: await installationTag(deps.control) })
}
