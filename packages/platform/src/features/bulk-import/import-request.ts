import type { ImportKey } from '@storey/contract'
import type { Sheet } from './sheets.ts'

export interface ImportRequest {
  sheet: Sheet
  sourceSystem: string
  dryRun: boolean
  /** The field by which rows are matched with nodes. */
  matchBy: ImportKey
  /** Whether the result has the list of changes. */
  listChanges: boolean
  rows: readonly unknown[]
  /** The indexes of rows that could not be parsed, each with the reason. */
  malformed: ReadonlyMap<number, string>
}
