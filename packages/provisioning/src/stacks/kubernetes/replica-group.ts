import type { StackCommand } from '@storey/contract'
import type { Log } from '@storey/kit/log'
import { within } from '@storey/kit/within'
import type { RemoteStack } from '../remote-stack.ts'
import { createReplicas, isSame, type OpenReplicas, type StackAddress } from '../replicas.ts'
import {
  type OnDue,
  type OnReplica,
  type RunningStack,
  SchemaMismatch,
  StackEnded,
  type StackExit,
} from '../stack-runtime.ts'
import { STACK } from './labels.ts'
import type { Pod } from './objects.ts'
import { addressOf, endOf, isAlive, isTerminating, lastEndOf, type PodEnd, restartsOf } from './pod-state.ts'
import type { PodWatch } from './watch-pods.ts'

export interface ReplicaGroupOptions {
  sandboxId: string
  watch: PodWatch
  /** Follows the process in a pod. */
  connect(host: string, onDue: OnDue): RemoteStack
  /** The error with which a start fails if the pod ended in this way. */
  errorOf(end: PodEnd): Error
  endPod(pod: Pod): Promise<void>
  onDue: OnDue
  onReplica?: OnReplica | undefined
  /** Called with each process that gets requests from now on. */
  onServing(remote: RemoteStack): void
  /** Whether a pod still serves requests for a moment after SIGTERM. */
  servesAfterSigterm: boolean
  /**
   * Aborted when the stack is being stopped. The pods of the stack are then followed until they end, because each
   * reports its due work before it ends.
   */
  signal: AbortSignal
  log: Log
}

interface Member {
  pod: Pod
  remote: RemoteStack
  /** Set while the pod gets requests. */
  address: StackAddress | undefined
  isStopSent: boolean
}

const RETRY_MS = 1_000
/** The time limit for taking a command, for a replica whose requests other replicas can serve. */
const COMMAND_LIMIT_MS = 2_000

/**
 * The pods of one stack. A pod gets requests when it listens and has taken what `onReplica` sends, until it ends, is
 * being deleted, or does not take a command. The stack has ended when no pod gets requests.
 */
export function createReplicaGroup(options: ReplicaGroupOptions) {
  const { sandboxId, watch, onDue, onReplica = async () => undefined, signal, log } = options
  const members = new Map<string, Member>()
  /** Pods that ended, or failed in another way, before the first pod got requests. */
  const failed = new Set<string>()
  const due = new Map<Member, Date | null>()
  const { promise: serving, resolve: resolveServing, reject: rejectServing } = Promise.withResolvers<RunningStack>()
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>()
  serving.catch(() => undefined)
  let replicas: OpenReplicas | undefined
  let lastExit: StackExit = { exitCode: null, signal: null }
  let isClosed = false

  const isMember = (member: Member) => members.get(member.pod.metadata.uid!) === member
  const addresses = () => [...members.values()].flatMap(({ address }) => (address ? [address] : []))

  function check(): void {
    if (isClosed) return
    const pods = watch.of(sandboxId, STACK)
    for (const member of members.values()) {
      const pod = pods.find(({ metadata }) => metadata.uid === member.pod.metadata.uid)
      if (!pod || (isTerminating(pod) && !signal.aborted)) leave(member, { exitCode: null })
      else if (isTerminating(pod)) sendStop(member)
      else if (restartsOf(pod) !== restartsOf(member.pod) || endOf(pod)) leave(member, lastEndOf(pod))
    }
    if (isClosed || signal.aborted) return
    for (const pod of pods) {
      const uid = pod.metadata.uid!
      const mayListen = isAlive(pod) && addressOf(pod) !== undefined && (replicas || !failed.has(uid))
      if (mayListen && !members.has(uid)) follow(pod)
    }
  }

  function follow(pod: Pod): void {
    const remote = options.connect(addressOf(pod)!, (at) => {
      due.set(member, at)
      reportDue()
    })
    const member: Member = { pod, remote, address: undefined, isStopSent: false }
    members.set(pod.metadata.uid!, member)
    remote.ended.then(() => leave(member))
    join(member).catch((err) => leave(member, undefined, err))
  }

  async function join(member: Member): Promise<void> {
    const { remote } = member
    const { host, port } = await remote.listening
    await onReplica((command) => remote.deliver(command))
    if (!isMember(member)) return
    member.address = { host, port }
    options.onServing(remote)
    if (replicas) return replicas.set(addresses())
    replicas = createReplicas(addresses(), { end: endReplica })
    resolveServing({ host, port, ended, exit: () => lastExit, replicas })
  }

  /** `how`: how the pod ended. `cause`: why it gets no requests, although it may still run. */
  function leave(member: Member, how?: PodEnd, cause?: Error): void {
    if (!isMember(member)) return
    const { pod, remote, address } = member
    members.delete(pod.metadata.uid!)
    remote.end(how && { exitCode: how.exitCode, signal: null })
    lastExit = remote.exit()
    if (!replicas) {
      void failStart(member, how, cause)
      return
    }
    if (!signal.aborted) due.delete(member)
    if (address) replicas.set(addresses())
    if (addresses().length === 0 && (!signal.aborted || members.size === 0)) {
      close()
      return
    }
    if (cause) log.warn({ sandboxId, err: cause, pod: pod.metadata.name }, 'replica gets no requests')
    // A pod that could not be reached, or did not take a command, is followed again.
    if (!how && !signal.aborted) setTimeout(check, RETRY_MS).unref()
  }

  /** The start fails when no other pod can listen any more, or immediately if the schema does not match. */
  async function failStart({ pod, remote }: Member, how: PodEnd | undefined, cause: Error | undefined): Promise<void> {
    failed.add(pod.metadata.uid!)
    const refusal = remote.listening.then(
      () => new StackEnded(remote.exit()),
      (err: Error) => err,
    )
    const err = how ? options.errorOf(how) : (cause ?? (await refusal))
    const others = watch.of(sandboxId, STACK).filter((one) => isAlive(one) && !failed.has(one.metadata.uid!))
    if (others.length === 0 || err instanceof SchemaMismatch) rejectServing(err)
  }

  /** Any replica may do the work, so the earliest time counts. */
  function reportDue(): void {
    const times = [...due.values()].filter((at) => at !== null).sort((a, b) => a.getTime() - b.getTime())
    onDue(times[0] ?? null)
  }

  /**
   * Sent to each terminating pod of a stack that is being stopped. Without the command, the process would still serve
   * requests for a moment after SIGTERM, in case control planes do not know yet that its pod is terminating.
   */
  function sendStop(member: Member): void {
    if (!options.servesAfterSigterm || member.isStopSent) return
    member.isStopSent = true
    member.remote.send({ type: 'stop' })
  }

  async function endReplica(address: StackAddress): Promise<void> {
    const member = [...members.values()].find((one) => one.address && isSame(one.address, address))
    if (!member) return
    leave(member)
    await options.endPod(member.pod)
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    stopWatching()
    signal.removeEventListener('abort', onAbort)
    for (const { remote } of members.values()) remote.end()
    members.clear()
    resolveEnded()
  }

  function onAbort(): void {
    // Due work that was reported before the stop no longer counts: each pod reports its due work again before it ends.
    due.clear()
    check()
  }

  const stopWatching = watch.onChange(sandboxId, check)
  signal.addEventListener('abort', onAbort, { once: true })
  check()
  return {
    /** Resolves when the first pod gets requests. Rejects if no pod can get requests. */
    serving,
    /** Resolves when no pod gets requests any more or, if the stack is being stopped, when all pods have ended. */
    ended,
    isFollowing: () => members.size > 0,
    /** A replica that does not take a command gets no requests until it has taken what `onReplica` sends. */
    send(command: StackCommand): void {
      const hasOthers = addresses().length > 1
      for (const member of members.values()) {
        const taken = member.remote.deliver(command)
        const inTime = hasOthers ? within(COMMAND_LIMIT_MS, taken) : taken
        inTime.catch((err) => {
          if (!signal.aborted) leave(member, undefined, err)
        })
      }
    },
    close,
  }
}

export type ReplicaGroup = ReturnType<typeof createReplicaGroup>
