import type { Sheet } from './sheets.ts'

export interface ImportRequest {
  sheet: Sheet
  sourceSystem: string
  dryRun: boolean
  rows: readonly unknown[]
  /** The indexes of rows that could not be parsed, each with the reason. */
  malformed: ReadonlyMap<number, string>
}
