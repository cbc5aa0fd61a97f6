export { createServiceDesk, type Desk, type ServiceDesk } from './desk.ts'
export { moveRequests } from './move-places.store.ts'
export { serviceDeskRoutes } from './service-desk.routes.ts'
