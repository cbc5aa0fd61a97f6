export { layerRoutes } from './layers.routes.ts'
export { detachValues } from './move-values.store.ts'
