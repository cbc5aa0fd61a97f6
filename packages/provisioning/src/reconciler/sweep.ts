import type { CheckedTime } from '@storey/kit/clock-check'
import type { Log } from '@storey/kit/log'
import type { Tenants } from '../tenants/index.ts'
import { type Inventory, takeInventory } from './inventory.ts'
import { syncQuarantine } from './leftovers.store.ts'
import { dropLeftover, findLeftovers, type Leftover, type LeftoverDeps, QUARANTINE_MS } from './leftovers.ts'
import { checkDatabases } from './missing-database.ts'
import { type Attempt, createSweepFailures } from './sweep-failures.ts'

export interface SweepDeps extends LeftoverDeps {
  tenants: Pick<Tenants, 'present' | 'drop' | 'recordSeeded' | 'metadataOf' | 'ensureRole'>
  log: Log
  onChange(slug: string): void
}

/** Adds metadata to databases that earlier versions created without it, if their rows still describe them. */
async function addMissingMetadata(
  { tenants }: SweepDeps,
  { databases, rows }: Inventory,
  attempt: Attempt,
): Promise<void> {
  for (const { id, status, requestedAt, siteId, buildingId, fingerprint } of rows.values()) {
    if (status !== 'ready' || databases.get(id)?.requestedAt !== undefined || !databases.has(id)) continue
    if (siteId && buildingId && fingerprint) {
      await attempt(id, 'add metadata', () =>
        tenants.recordSeeded(id, requestedAt, { siteId, buildingId, fingerprint }),
      )
    }
  }
}

/**
 * Drops leftovers that are certainly unowned. Others are quarantined and dropped after 14 days: they may belong to
 * sandboxes that are newer than a restored control database.
 */
async function sweep(deps: SweepDeps, time: CheckedTime, attempt: Attempt): Promise<Leftover[]> {
  const { log } = deps
  const inventory = await takeInventory(deps)
  await checkDatabases(deps, inventory, attempt)
  await addMissingMetadata(deps, inventory, attempt)
  const found = await findLeftovers(deps, inventory)
  const unproven = found.filter(({ isProven }) => !isProven)
  const isNew = new Set(
    await syncQuarantine(
      deps.control,
      unproven.map(({ id }) => id),
      time.now,
    ),
  )
  for (const { id, kinds, isProven, firstSeenAt } of found) {
    const dropAt = new Date((firstSeenAt ?? time.now).getTime() + QUARANTINE_MS)
    if (isNew.has(id)) log.warn({ sandboxId: id, kinds, dropAt }, 'leftover found, quarantined')
    if (!isProven && !(time.mayRemove && dropAt <= time.now)) continue
    await attempt(id, 'drop', async () => {
      if (await dropLeftover(deps, id)) log.warn({ sandboxId: id, kinds, isProven }, 'leftover dropped')
    })
  }
  return found
}

export function createSweep(deps: SweepDeps): (time: CheckedTime) => Promise<Leftover[]> {
  const failures = createSweepFailures(deps.log)
  return (time) => failures.round((attempt) => sweep(deps, time, attempt))
}
