export interface ThreadData {
  databaseUrl: string
  applicationName: string
}

export type CompactionTask =
  /** Folds what waits. */
  | { kind: 'fold' }
  /** Puts the pieces of closed days together. */
  | { kind: 'merge' }
  /** Deletes days that are too old by `forgetAtMs`; `doneAtMs` is recorded as the time when it was done. */
  | { kind: 'forget'; forgetAtMs: number; doneAtMs: number }

export interface Folded {
  count: number
  /** What waits still. */
  leftBytes: number
}

export type ToThread = { id: number; task: CompactionTask } | 'stop'
export type FromThread = { id: number; folded?: Folded; error?: string }
