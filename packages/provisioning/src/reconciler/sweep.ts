import type { CheckedTime } from '@storey/kit/clock-check'
import type { Log } from '@storey/kit/log'
import { CONTROL_SERVER, type TenantServers } from '../tenants/index.ts'
import { type Inventory, takeInventory } from './inventory.ts'
import { syncQuarantine } from './leftovers.store.ts'
import {
  dropLeftover,
  keyOf,
  type Leftover,
  type LeftoverDeps,
  leftoversIn,
  QUARANTINE_MS,
  withoutGone,
} from './leftovers.ts'
import { checkDatabases } from './missing-database.ts'
import { type Attempt, createSweepFailures } from './sweep-failures.ts'

export interface SweepDeps extends LeftoverDeps {
  servers: Pick<TenantServers, 'present' | 'of' | 'list' | 'verify'>
  stopStack(sandboxId: string): Promise<void>
  log: Log
  onChange(slug: string): void
}

/**
 * Adds metadata to databases that have none, if the rows of their sandboxes contain it. A database has no metadata if
 * an earlier version created it, or if its backup was restored without the comment that holds the metadata.
 */
async function addMissingMetadata(
  { servers }: SweepDeps,
  { servers: present, rows }: Inventory,
  attempt: Attempt,
): Promise<void> {
  for (const { id, serverId, status, requestedAt, siteId, buildingId, fingerprint } of rows.values()) {
    const databases = serverId === null ? undefined : present.get(serverId)?.databases
    if (serverId === null || databases === undefined) continue
    if (status !== 'ready' || databases.get(id)?.requestedAt !== undefined || !databases.has(id)) continue
    if (siteId && buildingId && fingerprint) {
      await attempt(id, 'add metadata', () =>
        servers.of(serverId).recordUnverified(id, requestedAt, { siteId, buildingId, fingerprint }),
      )
    }
  }
}

/**
 * Drops leftovers that are certain to be unneeded, and keeps those that are needed. All others may have been used since
 * the backup from which the control database was restored, so they are quarantined, and dropped only after 14 days.
 */
async function sweep(deps: SweepDeps, time: CheckedTime, attempt: Attempt): Promise<Leftover[]> {
  const { log } = deps
  const listed: Leftover[] = []
  let answered: ReadonlySet<string> | undefined
  for await (const inventory of takeInventory(deps)) {
    await checkDatabases(deps, inventory, attempt)
    await addMissingMetadata(deps, inventory, attempt)
    listed.push(...(await leftoversIn(deps, inventory)))
    answered = new Set([...inventory.servers.keys()].filter((id) => answered?.has(id) ?? true))
  }
  const found = await withoutGone(deps, listed)
  const uncertain = found.filter(({ isUnneeded, isNeeded }) => !isUnneeded && !isNeeded)
  const newKeys = new Set((await syncQuarantine(deps.control, [...(answered ?? [])], uncertain, time.now)).map(keyOf))
  for (const leftover of found) {
    const { id, serverId, kinds, isUnneeded, isNeeded, firstSeenAt } = leftover
    if (isNeeded) continue
    const fields = { sandboxId: id, kinds, ...(serverId === CONTROL_SERVER ? {} : { server: serverId }) }
    const dropAt = new Date((firstSeenAt ?? time.now).getTime() + QUARANTINE_MS)
    if (newKeys.has(keyOf(leftover))) log.warn({ ...fields, dropAt }, 'leftover found, quarantined')
    if (!isUnneeded && !(time.mayRemove && dropAt <= time.now)) continue
    await attempt(id, 'drop', async () => {
      if ((await dropLeftover(deps, leftover)) === 'dropped') log.warn({ ...fields, isUnneeded }, 'leftover dropped')
    })
  }
  return found
}

export function createSweep(deps: SweepDeps): (time: CheckedTime) => Promise<Leftover[]> {
  const failures = createSweepFailures(deps.log)
  return (time) => failures.round((attempt) => sweep(deps, time, attempt))
}
