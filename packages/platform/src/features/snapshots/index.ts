export { snapshotRoutes } from './snapshots.routes.ts'
