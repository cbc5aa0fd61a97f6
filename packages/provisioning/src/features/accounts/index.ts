export { listAccountEvents } from './account-audit.store.ts'
export { type AccountNotices, createAccountNotices } from './account-notices.ts'
export { type AccountDeps, accountRoutes } from './accounts.routes.ts'
export type { ChangeRules, Directory, Members, People, Tenant } from './directory.ts'
export { keepSandbox } from './keep-sandbox.ts'
export { type AccountChangeOrigin, recordAccountChange } from './record-account-change.ts'
export {
  deleteOldRevoked,
  findRevoked,
  insertRevoked,
  listRevoked,
  type OwnedAccount,
  revokeOwner,
} from './revoked-subjects.store.ts'
