export { bulkImportRoutes } from './bulk-import.routes.ts'
