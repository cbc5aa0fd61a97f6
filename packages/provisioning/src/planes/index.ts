export { LeadershipLost } from './leadership.ts'
export { createPlanes, type Planes, type PlaneTimes } from './planes.ts'
