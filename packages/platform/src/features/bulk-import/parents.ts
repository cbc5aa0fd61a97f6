import type { GraphEdit } from '../../graph/index.ts'
import { resolveExternalIds } from './bulk-import.store.ts'
import type { GoodRow } from './check-rows.ts'
import type { ImportRequest } from './import-request.ts'
import type { Row, Sheet } from './sheets.ts'

/** The field by which a row names its parent. Each row has either the id or the external id of its parent. */
export function parentField({ parent }: Sheet, row: Row): string {
  return typeof row[parent.id] === 'string' ? parent.id : parent.externalId
}

/**
 * Finds the parents of the rows by id or external id. The returned function gives the id of a row's parent, or
 * undefined if the building has no such parent.
 */
export async function findParents(
  edit: GraphEdit,
  { sheet, sourceSystem }: ImportRequest,
  good: readonly GoodRow[],
): Promise<(row: Row) => string | undefined> {
  const { parent } = sheet
  const named = good.map(({ row }) => row[parent.externalId]).filter((name) => typeof name === 'string')
  const wanted = { buildingId: edit.buildingId, kind: parent.kind, sourceSystem }
  const resolved = await resolveExternalIds(edit.tx, wanted, new Set(named))
  const idOf = (row: Row) => {
    const id = row[parent.id]
    return typeof id === 'string' ? id.toLowerCase() : resolved.get(String(row[parent.externalId]))
  }
  await edit.load(good.map(({ row }) => idOf(row)).filter((id) => id !== undefined))
  return (row) => {
    const id = idOf(row)
    return id !== undefined && edit.get(parent.kind, id) ? id : undefined
  }
}
