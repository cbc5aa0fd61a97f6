export { combineReports } from './combine-reports.ts'
export { beginRun, countOverdue, endRun } from './due-work.store.ts'
export { createLentConnections } from './lent-connections.ts'
export type { ListedStack } from './list-stacks.ts'
export { createProcessRuntime } from './process-runtime.ts'
export { createRemoteStack, type RemoteStack, type RemoteStackOptions } from './remote-stack.ts'
export {
  addressFor,
  createReplicas,
  type OpenReplicas,
  type ReplicaList,
  type Replicas,
  type StackAddress,
} from './replicas.ts'
export type { Backoff } from './restarts.ts'
export type { CapacityState } from './server-capacities.ts'
export type { OwnedSandbox } from './stack-capacity.ts'
export { createStackFolders } from './stack-folders.ts'
export {
  createStackPool,
  type LocalStackPool,
  type StackObserver,
  type StackPool,
  type StackPoolOptions,
} from './stack-pool.ts'
export type { StacksReport } from './stack-reports.ts'
export {
  DatabaseUnavailable,
  type OnReplica,
  type RunningStack,
  RuntimeUnavailable,
  SchemaMismatch,
  SeedError,
  SeedKilled,
  type StackExit,
  type StackRuntime,
} from './stack-runtime.ts'
export { remoteStartQueue } from './start-queue.ts'
export { createStopUnresponsive } from './stop-unresponsive.ts'
export type { DirectIngestTransfer, ReturnedConnection, ReturnedPublisher } from './transfer-connection.ts'
export { createWaker } from './waker.ts'
