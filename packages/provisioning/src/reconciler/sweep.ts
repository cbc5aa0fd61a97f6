import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { findAny, listAll, type SandboxRow } from '../features/sandboxes/sandboxes.store.ts'
import type { StackRuntime } from '../stacks/stack-runtime.ts'
import type { Tenants } from '../tenants/tenants.ts'
import { underWorkLock } from './work-lock.store.ts'

export interface Orphans {
  databases: string[]
  roles: string[]
  folders: string[]
}

export interface SweepDeps {
  control: Database
  tenants: Pick<Tenants, 'present' | 'drop'>
  runtime: Pick<StackRuntime, 'listFiles' | 'removeFiles'>
  log: Log
}

/** A failed sandbox keeps its row and nothing else. */
const ownsAnything = (row: SandboxRow | undefined): boolean => row !== undefined && row.status !== 'failed'

/**
 * What no sandbox owns. What there is gets listed before the sandboxes are: a row is there before its database and
 * goes after it, so nothing that is being made can be taken for an orphan.
 */
export async function findOrphans({ control, tenants, runtime }: Omit<SweepDeps, 'log'>): Promise<Orphans> {
  const { databases, roles } = await tenants.present()
  const folders = await runtime.listFiles()
  const owners = new Set((await listAll(control)).filter(ownsAnything).map((row) => row.id))
  const orphans = (ids: string[]) => ids.filter((id) => !owners.has(id))
  return { databases: orphans(databases), roles: orphans(roles), folders: orphans(folders) }
}

export async function sweep(deps: SweepDeps): Promise<Orphans> {
  const { control, tenants, runtime, log } = deps
  const orphans = await findOrphans(deps)
  const ids = new Set(Object.values(orphans).flat())
  for (const id of ids) {
    await control.session((session) =>
      underWorkLock(session, id, async () => {
        if (ownsAnything(await findAny(control, id))) return
        await tenants.drop(id)
        await runtime.removeFiles(id)
      }),
    )
  }
  if (ids.size > 0) log.warn(orphans, 'orphans were removed')
  return orphans
}
