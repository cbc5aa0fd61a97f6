export { createAddresses } from './addresses.ts'
export type { ControlFigures } from './control-figures.ts'
export { describeControlApi } from './control-http.ts'
export type { ControlPlane, ControlPlaneConfig } from './control-plane.ts'
export { createControlPlane } from './create-control-plane.ts'
export type { Directory } from './features/accounts/index.ts'
export { DEMO } from './features/organizations/index.ts'
export type { ConnectionLimits, WebFolders } from './gateway/index.ts'
export { createExternalDirectory, createKeycloakAdmin } from './identity-admin/index.ts'
export type { MqttConfig } from './mqtt/index.ts'
export type { CreationObserver } from './reconciler/index.ts'
export type { SignInSettings } from './sign-in-settings.ts'
export {
  combineReports,
  createProcessRuntime,
  type RunningStack,
  SeedError,
  type StackExit,
  type StackObserver,
  type StackRuntime,
} from './stacks/index.ts'
export type { ServerEntry } from './tenants/index.ts'
