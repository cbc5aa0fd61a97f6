export { ifcImportRoutes } from './ifc-import.routes.ts'
export { createImportQueue, type ImportQueue } from './import-queue.ts'
export type { DetachData } from './write-model.ts'
