export { simulationRoutes } from './simulation.routes.ts'
export { createSimulator, type Simulator } from './simulator.ts'
