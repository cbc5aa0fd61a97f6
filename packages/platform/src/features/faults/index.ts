export { checkHistory, type HistoryCheck } from './detection/check-history.ts'
export { createFaultDetection, type FaultDetection } from './detection/detect.ts'
export { faultRoutes } from './faults.routes.ts'
export { faultExists } from './faults.store.ts'
