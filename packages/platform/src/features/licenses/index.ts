export { licenseRoutes } from './licenses.routes.ts'
