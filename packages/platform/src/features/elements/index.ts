export { elementRoutes } from './elements.routes.ts'
