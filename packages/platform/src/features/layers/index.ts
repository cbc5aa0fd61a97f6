export { layerRoutes } from './layers.routes.ts'
export { takeValues } from './move-values.store.ts'
