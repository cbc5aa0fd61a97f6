import type { StackMessage } from '@storey/contract'
import type { ContainerStatus, Pod } from './objects.ts'

/** Why a pod does not run, or ended. */
export interface PodProblem {
  kind: 'image' | 'unschedulable' | 'configuration' | 'memory' | 'evicted' | 'quota' | 'refused'
  /** The text for the operator's log. */
  detail: string
}

const IMAGE = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'RegistryUnavailable']
const CONFIGURATION = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']

/** Why seeding failed or was interrupted, for the owner of the sandbox. */
const TEXTS: Record<PodProblem['kind'], string> = {
  image: 'the cluster could not load the image of the stack',
  unschedulable: 'no node of the cluster has room for the seeding',
  configuration: 'the cluster could not start the container of the seeding',
  memory: 'the seeding needed more memory than its pod may use',
  evicted:
    'the cluster ended the seeding, because its node ran short of resources, was shut down, or was needed for another pod',
  quota: 'the quota of the cluster is used up',
  refused: 'the cluster refused the seeding',
}

export const textOf = ({ kind }: PodProblem): string => TEXTS[kind]

const containerOf = ({ status }: Pod): ContainerStatus | undefined => status?.containerStatuses?.[0]

/** Why the pod waits; undefined if it runs, or starts normally. */
export function waitProblem(pod: Pod): PodProblem | undefined {
  const { reason = '', message = '' } = containerOf(pod)?.state?.waiting ?? {}
  if (IMAGE.includes(reason)) return { kind: 'image', detail: `${reason}: ${message}` }
  if (CONFIGURATION.includes(reason)) return { kind: 'configuration', detail: `${reason}: ${message}` }
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return { kind: 'unschedulable', detail: scheduled.message ?? 'Unschedulable' }
  return undefined
}

export interface PodEnd {
  exitCode: number | null
  problem?: PodProblem
  /** The message that the process wrote as the termination message of its container. */
  message?: StackMessage
}

/** How the pod ended; undefined while it runs. */
export function endOf(pod: Pod): PodEnd | undefined {
  const terminated = containerOf(pod)?.state?.terminated
  const { phase, reason = '', message = '' } = pod.status ?? {}
  if (!terminated && phase !== 'Failed' && phase !== 'Succeeded') return undefined
  return {
    exitCode: terminated?.exitCode ?? null,
    ...problemOf(terminated, reason, message),
    ...lastMessage(terminated),
  }
}

/** The most recent end of a process in the pod. The container may have been restarted since. */
export function lastEndOf(pod: Pod): PodEnd {
  const terminated = containerOf(pod)?.state?.terminated ?? containerOf(pod)?.lastState?.terminated
  return { exitCode: terminated?.exitCode ?? null, ...problemOf(terminated, '', ''), ...lastMessage(terminated) }
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']> | undefined

function problemOf(terminated: Terminated, reason: string, message: string): { problem?: PodProblem } {
  if (terminated?.reason === 'OOMKilled') return { problem: { kind: 'memory', detail: 'OOMKilled' } }
  if (reason === 'Evicted' || reason === 'Preempting' || reason === 'NodeShutdown' || reason === 'Terminated')
    return { problem: { kind: 'evicted', detail: `${reason}: ${message}` } }
  if (reason === 'UnexpectedAdmissionError' || /^OutOf/.test(reason))
    return { problem: { kind: 'unschedulable', detail: `${reason}: ${message}` } }
  return {}
}

function lastMessage(terminated: Terminated): { message?: StackMessage } {
  try {
    const message = JSON.parse(terminated?.message ?? '') as StackMessage
    return typeof message.type === 'string' ? { message } : {}
  } catch {
    return {}
  }
}

export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined
export const restartsOf = (pod: Pod): number => containerOf(pod)?.restartCount ?? 0

/** A pod that runs or will run: not terminating, and not ended. */
export const isAlive = (pod: Pod): boolean =>
  !isTerminating(pod) && pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded'

/** The address of a pod whose container runs. */
export const addressOf = (pod: Pod): string | undefined =>
  containerOf(pod)?.state?.running === undefined ? undefined : pod.status?.podIP
