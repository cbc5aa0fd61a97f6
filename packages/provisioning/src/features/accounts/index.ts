export { type AccountDeps, accountRoutes } from './accounts.routes.ts'
export type { Directory, Members } from './directory.ts'
export { deleteOldRevoked, insertRevoked, listRevoked } from './revoked-subjects.store.ts'
