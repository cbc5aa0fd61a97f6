export { changesetRoutes } from './changesets.routes.ts'
