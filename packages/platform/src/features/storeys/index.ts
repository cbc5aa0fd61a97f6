export { storeyRoutes } from './storeys.routes.ts'
