import { type Building, fingerprint, generateBuilding, nodeId } from '@storey/building'
import { progressSteps, type SeedConfig, type SeedResult } from '@storey/contract'
import type { Database, Tx } from '@storey/kit/database'
import { countNodes, insertNodes } from '../graph/index.ts'
import { analyze, withoutIndexes } from './bulk-load.store.ts'
import { kindLoads, type Placement } from './graph-load.ts'
import { GRAPH_TABLES, insertBuilding, insertModel, insertOrganization, insertSite, isSeeded } from './seed.store.ts'
import { seedTelemetry } from './seed-telemetry.ts'

/** The progress in percent when the graph is complete and the history begins. */
const GRAPH_SHARE = 25

export type ReportProgress = (percent: number, step: string) => void

export type SeedRequest = Pick<SeedConfig, 'sandboxId' | 'organizationId' | 'building' | 'telemetryDays' | 'until'>

/**
 * Fills an empty tenant database with the requested building and its history. The same sandbox and seed give the same
 * ids.
 */
export async function seedBuilding(db: Database, request: SeedRequest, report: ReportProgress): Promise<SeedResult> {
  if (await isSeeded(db)) throw new Error('the database already has a building')
  report(0, progressSteps.format('generating', {}))
  const building = generateBuilding(request.building)
  const placement = place(request)
  await db.transaction(async (tx) => {
    await insertOrganization(tx, building, placement)
    await writeBuilding(tx, building, placement, report)
  })
  await db.session((session) => analyze(session, GRAPH_TABLES))
  const history = {
    buildingId: placement.idOf(building.building.key),
    days: request.telemetryDays,
    until: new Date(request.until),
  }
  await seedTelemetry(db, building, history, (done, day) => {
    report(share(GRAPH_SHARE, 98, done), progressSteps.format('history', { day: day.toISOString().slice(0, 10) }))
  })
  report(99, progressSteps.format('fingerprint', {}))
  return {
    siteId: placement.idOf(building.site.key),
    buildingId: placement.idOf(building.building.key),
    fingerprint: fingerprint(building),
  }
}

/** Derives each id from the sandbox, the seed and the node's key. Ids are cached, since nodes refer to each other. */
export function place({ sandboxId, organizationId, building, until }: SeedRequest): Placement {
  const scope = `${sandboxId}/${building.seed}`
  const known = new Map<string, string>()
  return {
    organizationId,
    at: until,
    idOf(key) {
      const id = known.get(key) ?? nodeId(scope, key)
      known.set(key, id)
      return id
    },
  }
}

export async function writeBuilding(
  tx: Tx,
  building: Building,
  placement: Placement,
  report: ReportProgress,
): Promise<void> {
  await insertSite(tx, building, placement)
  await insertBuilding(tx, building, placement)
  await insertModel(tx, building, placement)
  const loads = kindLoads(building, placement)
  const all = loads.reduce((sum, { count }) => sum + count, 0)
  await withoutIndexes(tx, GRAPH_TABLES, async () => {
    let written = 0
    for (const load of loads) {
      report(share(2, GRAPH_SHARE - 5, written / all), load.step)
      await insertNodes(tx, placement.idOf(building.building.key), load.kind, load.nodes as Iterable<never>)
      await countNodes(tx, placement.idOf(building.building.key), load.kind, load.count)
      written += load.count
    }
    report(GRAPH_SHARE - 5, progressSteps.format('indexing', {}))
  })
}

/** The overall progress: `done` (0 to 1) is the progress within a part that goes from `from` to `to` percent. */
function share(from: number, to: number, done: number): number {
  return Math.round(from + (to - from) * done)
}
