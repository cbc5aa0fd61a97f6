export { spaceRoutes } from './spaces.routes.ts'
