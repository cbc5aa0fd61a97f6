export { type Compaction, createCompaction, type FoldingCapacity } from './compaction/compaction.ts'
export { findIngest, type PlainIngest } from './ingest/find-ingest.ts'
export { TIMED_JSON } from './ingest/forms.ts'
export { createIngest, type Ingest, type ObservedBatch } from './ingest/ingest.ts'
export { emptyObservations, type Observations, valueText } from './ingest/observations.ts'
export { ingestRoutes } from './ingest.routes.ts'
export type { Chunk } from './storage/chunk-writer.ts'
export {
  copyChunks,
  copyFaults,
  copyLatest,
  type LatestValue,
  pointNumbers,
  TELEMETRY_TABLES,
} from './storage/telemetry.store.ts'
export { readWaiting } from './storage/waiting.store.ts'
export { telemetryRoutes } from './telemetry.routes.ts'
