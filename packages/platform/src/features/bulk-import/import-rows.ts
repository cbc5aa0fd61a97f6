import { type BulkImportResult, revisionSummaries } from '@storey/contract'
import { checkSourceSystem, type GraphAccess, type GraphEdit } from '../../graph/index.ts'
import { BadRows } from './bad-rows.ts'
import { checkRows, type GoodRow } from './check-rows.ts'
import type { ImportRequest } from './import-request.ts'
import { placeRows } from './place-rows.ts'

/** Writes all rows as one revision, or no row if any row is bad. */
export async function importRows(
  graph: GraphAccess,
  buildingId: string,
  request: ImportRequest,
  actor: string,
): Promise<BulkImportResult> {
  checkSourceSystem(request.sourceSystem)
  const { sheet, rows, sourceSystem, dryRun, listChanges } = request
  const bad = new BadRows(sheet.list, rows)
  // These checks need no database, so they run before the building is locked.
  const good = checkRows(request, bad)
  const work = async (edit: GraphEdit) => {
    const changes = await validateRows(edit, request, good, bad)
    const created = changes.filter(({ op }) => op === 'create').length
    const updated = changes.length - created
    const unchanged = rows.length - changes.length
    const result = { created, updated, unchanged, dryRun, ...(listChanges ? { changes } : {}) }
    if (dryRun || changes.length === 0) return result
    const parameters = { rows: rows.length, list: sheet.list, system: sourceSystem, created, updated }
    await edit.write({ actor, summary: revisionSummaries.format('imported', parameters) })
    return result
  }
  return dryRun ? graph.preview(buildingId, work) : graph.change(buildingId, work)
}

async function validateRows(edit: GraphEdit, request: ImportRequest, good: readonly GoodRow[], bad: BadRows) {
  await placeRows(edit, request, good, bad)
  bad.refuse()
  return edit.changes()
}
