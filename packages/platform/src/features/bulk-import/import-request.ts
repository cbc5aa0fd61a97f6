import type { Sheet } from './sheets.ts'

export interface ImportRequest {
  sheet: Sheet
  sourceSystem: string
  dryRun: boolean
  rows: readonly unknown[]
  /** Rows that could not be parsed, with the reason. */
  malformed: ReadonlyMap<number, string>
}
