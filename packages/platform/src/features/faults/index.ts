export { createFaultDetection, type FaultDetection } from './detection/detect.ts'
export { faultRoutes } from './faults.routes.ts'
