import type { BuildingClient, BulkImportResult, ImportElements, ImportPoints, ImportSpaces } from '@storey/sdk'
import type { RowFields } from './read-field.ts'
import type { ImportKind } from './table-fields.ts'

export interface RowsRequest {
  kind: ImportKind
  matchBy: 'code' | 'externalId'
  sourceSystem: string
  rows: readonly RowFields[]
}

/** The result of a dry run, and the revision of the building for which it holds. */
export interface Checked {
  revision: number
  result: BulkImportResult
}

/** Sends rows to the API. The API checks the fields of every row, so this function does not check their types. */
export function sendRows(
  { imports }: Pick<BuildingClient, 'imports'>,
  { kind, matchBy, sourceSystem, rows }: RowsRequest,
  { dryRun }: { dryRun: boolean },
): Promise<BulkImportResult> {
  const body: unknown = { sourceSystem, matchBy, dryRun, listChanges: dryRun, [kind]: rows }
  switch (kind) {
    case 'spaces':
      return imports.spaces(body as ImportSpaces)
    case 'elements':
      return imports.elements(body as ImportElements)
    case 'points':
      return imports.points(body as ImportPoints)
  }
}
