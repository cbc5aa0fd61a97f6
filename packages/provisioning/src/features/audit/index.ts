export { auditRoutes } from './audit.routes.ts'
export { createAudit, recordChange } from './audit.ts'
export { type AuditPage, listAudit } from './list-audit.ts'
