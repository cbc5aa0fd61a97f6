export type { Bus, BusEvent } from './bus.ts'
export { openBus } from './open-bus.ts'
export { ownBuildings } from './own-buildings.store.ts'
