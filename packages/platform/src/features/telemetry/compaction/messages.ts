export interface ThreadData {
  databaseUrl: string
  applicationName: string
}

export type CompactionTask =
  /** Folds waiting batches. */
  | { kind: 'fold' }
  /** Does the next step of merging the pieces (rows of `observation_chunks`) of days that are over. */
  | { kind: 'merge' }
  /** Deletes days that are too old as of `asOfMs`; `doneAtMs` is recorded as the time of the deletion. */
  | { kind: 'delete-days'; asOfMs: number; doneAtMs: number }

export interface Folded {
  count: number
  /** The bytes that still wait to be folded. */
  leftBytes: number
}

export interface TaskResult {
  /** The result of `fold`. */
  folded?: Folded
  /** Whether pieces may remain to be merged after this step. Then `merge` must be run again. */
  isUnfinished?: boolean
}

export type ToThread = { id: number; task: CompactionTask } | 'stop'
export type FromThread = { id: number; result: TaskResult } | { id: number; error: string }
