export interface ThreadData {
  databaseUrl: string
  applicationName: string
}

/** Fold what waits, put closed days together, or end. */
export type CompactionOrder = 'fold' | 'merge' | 'stop'

export type CompactionReport =
  | { type: 'folded'; count: number; leftBytes: number }
  | { type: 'failed'; message: string }
