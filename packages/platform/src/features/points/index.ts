export { pointRoutes } from './points.routes.ts'
