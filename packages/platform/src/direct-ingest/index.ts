export { createDirectIngest, type DirectIngest, type DirectReports } from './direct-ingest.ts'
