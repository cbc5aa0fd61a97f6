// The parts of Kubernetes objects that the Kubernetes runtime (`kubernetes-runtime.ts`) reads.

export interface Metadata {
  name: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  labels?: Record<string, string>
  deletionTimestamp?: string
}

export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
}

export interface ContainerStatus {
  restartCount: number
  state?: ContainerState
  lastState?: ContainerState
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string }
  running?: object
  terminated?: { exitCode: number; reason?: string; message?: string }
}

export interface Pod {
  metadata: Metadata
  spec?: { containers?: { image?: string }[] }
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    reason?: string
    message?: string
    podIP?: string
    conditions?: Condition[]
    containerStatuses?: ContainerStatus[]
  }
}

export interface List<T> {
  metadata: { resourceVersion: string; continue?: string }
  /** null in some empty lists. */
  items: T[] | null
}
