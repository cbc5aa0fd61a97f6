export { buildingRoutes } from './buildings.routes.ts'
