import type { Sheet } from './sheets.ts'

export interface ImportRequest {
  sheet: Sheet
  sourceSystem: string
  dryRun: boolean
  rows: readonly unknown[]
  /** Rows that could not be read as such, with the reason. */
  misshapen: ReadonlyMap<number, string>
}
