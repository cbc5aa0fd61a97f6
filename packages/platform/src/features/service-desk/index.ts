export { createServiceDesk, type ServiceDesk } from './create-service-desk.ts'
export type { Desk } from './desk.ts'
export { moveRequests } from './move-places.store.ts'
export { serviceDeskRoutes } from './service-desk.routes.ts'
