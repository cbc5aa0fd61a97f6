export { type ControlPlane, type ControlPlaneConfig, createControlPlane } from './create-control-plane.ts'
export { DEMO } from './features/organizations/organizations.ts'
export { createProcessRuntime } from './stacks/process-runtime.ts'
export { type RunningStack, SeedError, type StackRuntime } from './stacks/stack-runtime.ts'
