export interface ThreadData {
  databaseUrl: string
  applicationName: string
}

/** Fold what waits, put closed days together, let days go that are too old by then, or end. */
export type CompactionOrder = 'fold' | 'merge' | ForgetOrder | 'stop'

export interface ForgetOrder {
  forgetAtMs: number
  /** Recorded as the time when it was done. */
  doneAtMs: number
}

export type CompactionReport =
  | { type: 'folded'; count: number; leftBytes: number }
  | { type: 'failed'; message: string }
  | { type: 'merged' }
