export type { Bus, BusEvent, OpenBus } from './bus.ts'
export { openBus } from './open-bus.ts'
export { ownBuildings } from './own-buildings.store.ts'
