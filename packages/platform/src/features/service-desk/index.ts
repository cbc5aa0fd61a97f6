export { createServiceDesk, type ServiceDesk } from './create-service-desk.ts'
export type { Desk } from './desk.ts'
export { movePlaces } from './move-places.store.ts'
export { serviceDeskRoutes } from './service-desk.routes.ts'
