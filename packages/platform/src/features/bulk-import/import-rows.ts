import { type BulkImportResult, revisionSummaries } from '@storey/contract'
import { checkSourceSystem, type GraphAccess, type GraphEdit } from '../../graph/index.ts'
import { BadRows } from './bad-rows.ts'
import { checkRows, type GoodRow } from './check-rows.ts'
import type { ImportRequest } from './import-request.ts'
import { placeRows } from './place-rows.ts'

/** All rows as one revision, or, where one is bad, none of them. */
export async function importRows(
  graph: GraphAccess,
  buildingId: string,
  request: ImportRequest,
  actor: string,
): Promise<BulkImportResult> {
  checkSourceSystem(request.sourceSystem)
  const { sheet, rows, sourceSystem, dryRun } = request
  const bad = new BadRows(sheet.list, rows)
  // Before the building is kept from others.
  const good = checkRows(request, bad)
  const work = async (edit: GraphEdit) => {
    const counts = await settleRows(edit, request, good, bad)
    if (dryRun || counts.created + counts.updated === 0) return { ...counts, dryRun }
    const { created, updated } = counts
    const told = { rows: rows.length, list: sheet.list, system: sourceSystem, created, updated }
    await edit.write({ actor, summary: revisionSummaries.say('imported', told) })
    return { ...counts, dryRun }
  }
  return dryRun ? graph.preview(buildingId, work) : graph.change(buildingId, work)
}

async function settleRows(edit: GraphEdit, request: ImportRequest, good: readonly GoodRow[], bad: BadRows) {
  await placeRows(edit, request, good, bad)
  bad.refuse()
  const changes = edit.changes()
  const created = changes.filter(({ op }) => op === 'create').length
  const updated = changes.length - created
  return { created, updated, unchanged: request.rows.length - created - updated }
}
