export { catalogRoutes } from './catalogs.routes.ts'
