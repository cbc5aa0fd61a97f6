import type { HistoryEntry, HistoryQuery, List, Page } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { type Admit, listInBuilding } from '../../graph/index.ts'
import { findRevision, findSeeded, listHistory } from './history.store.ts'

const FIRST_REVISION = 1

/**
 * The history of a building, or of one node. The seeding writes no entries, since its graph is the base of all
 * changes. The history of one seeded node gets an entry for its creation here, unless the query names a changeset.
 */
export async function readHistory(
  db: Database,
  buildingId: string,
  query: HistoryQuery,
  page: Page,
  admit: Admit,
): Promise<List<HistoryEntry>> {
  const { nodeId, kind, changesetId } = query
  const list = await listInBuilding(db, buildingId, () => listHistory(db, buildingId, query, page, admit))
  if (nodeId === undefined || changesetId !== undefined) return list
  const seeded = await findSeeded(db, buildingId, nodeId)
  if (!seeded) return list
  if (kind !== undefined && kind !== seeded.kind) return list
  const place = list.total - page.offset
  const fits = place >= 0 && place < page.limit
  const data = fits ? [...list.data, await creation(db, buildingId, nodeId, seeded)] : list.data
  return { ...list, data, total: list.total + 1 }
}

type Seeded = NonNullable<Awaited<ReturnType<typeof findSeeded>>>

async function creation(
  db: Database,
  buildingId: string,
  nodeId: string,
  { kind, node }: Seeded,
): Promise<HistoryEntry> {
  const { changes: _, ...revision } = await findRevision(db, buildingId, FIRST_REVISION)
  return { ...revision, op: 'create', kind, nodeId: nodeId.toLowerCase(), before: null, after: node }
}
