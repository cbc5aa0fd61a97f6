import { problems } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import {
  createReplicas,
  createStopUnresponsive,
  type LocalStackPool,
  type OpenReplicas,
  type OwnedSandbox,
  type ReplicaList,
  type RunningStack,
  type StackAddress,
  type StackPool,
} from '../stacks/index.ts'
import type { StackAnswer, StackRequest } from './notices.ts'
import type { UseRecorder } from './record-uses.ts'
import { problemAnswer, problemOf } from './stack-location.ts'

export interface SharedStacksOptions {
  /** Starts and stops stacks, while this control plane leads. */
  local: LocalStackPool
  isLeader(): boolean
  uses: UseRecorder
  /**
   * Sends a request to the leader. Resolves with undefined if the leader did not answer in time, or if this control
   * plane leads now.
   */
  ask(request: StackRequest, limitMs: number): Promise<StackAnswer | undefined>
  log: Log
}

interface Known {
  stack: RunningStack
  replicas: OpenReplicas
  /** The last list from the leader; `replicas` has its addresses. */
  list: ReplicaList | undefined
  end(): void
}

/** How long a request waits until its stack has started, and how long a stop may take. */
const START_LIMIT_MS = 15_000
const STOP_LIMIT_MS = 20_000

/**
 * The stacks as each control plane sees them. Only the leader starts and stops stacks, so its limits hold for all
 * control planes together, and two simultaneous requests do not start a stack twice. The other control planes ask the
 * leader for a stack, and then use the stack directly until it ends.
 */
export function createSharedStacks({ local, isLeader, uses, ask, log }: SharedStacksOptions) {
  const known = new Map<string, Known>()
  const starting = new Map<string, Promise<RunningStack>>()
  /** Lists of replicas that arrived before the leader answered the request to start the stack. */
  const early = new Map<string, ReplicaList>()

  async function request(what: StackRequest, limitMs: number): Promise<StackAnswer> {
    const deadline = elapsedMs() + limitMs
    while (elapsedMs() < deadline) {
      if (isLeader()) return await handle(what)
      const answer = await ask(what, deadline - elapsedMs())
      if (answer) return answer
    }
    throw problems.notReady(what.kind === 'start' ? 'The sandbox is waking up' : 'The service is busy', 2)
  }

  /** Does what this or another control plane requests, and returns the answer. */
  async function handle(what: StackRequest): Promise<StackAnswer> {
    try {
      if (what.kind === 'start') {
        const { sandboxId: id, organizationId, serverId, client, isVerified } = what
        const { stack, release } = await local.use(
          { id, organizationId, serverId },
          { isFromCaller: () => isVerified, verify: async () => isVerified, ...(client === null ? {} : { client }) },
        )
        release()
        const { host, port, replicas } = stack
        return { host, port, ...(replicas ? { replicas: replicas.announcement() } : {}) }
      }
      if (what.kind === 'stop')
        await (what.replica ? local.endReplica(what.sandboxId, what.replica) : local.stop(what.sandboxId))
      else await local.send(what.sandboxId, what.command)
      return { host: null, port: null }
    } catch (err) {
      return problemAnswer(err)
    }
  }

  async function start(sandbox: OwnedSandbox, client: string | undefined, isVerified: boolean): Promise<RunningStack> {
    const { id: sandboxId, organizationId, serverId = null } = sandbox
    const what = { kind: 'start' as const, sandboxId, organizationId, serverId, client: client ?? null, isVerified }
    const answer = await request(what, START_LIMIT_MS)
    if ('problem' in answer) throw problemOf(answer)
    const address = { host: answer.host!, port: answer.port! }
    const list = [early.get(sandboxId), known.get(sandboxId)?.list].reduce(latest, answer.replicas)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const end = () => {
      if (known.get(sandboxId)?.stack === stack) known.delete(sandboxId)
      resolve()
    }
    const replicas = createReplicas(list?.addresses ?? [address], {
      end: (replica) => stop(sandboxId, { host: replica.host, port: replica.port }),
    })
    const stack: RunningStack = { ...address, ended, replicas }
    known.get(sandboxId)?.end()
    known.set(sandboxId, { stack, replicas, list, end })
    return stack
  }

  /** Call this when the leader reports that the processes that serve a stack have changed. */
  function setReplicas(sandboxId: string, list: ReplicaList): void {
    const present = known.get(sandboxId)
    if (!present) {
      if (isStarting(sandboxId)) early.set(sandboxId, latest(list, early.get(sandboxId))!)
      return
    }
    if (present.list?.run === list.run && list.version <= present.list.version) return
    present.list = list
    present.replicas.set(list.addresses)
  }

  const isStarting = (sandboxId: string) =>
    [true, false].some((isVerified) => starting.has(`${sandboxId} ${isVerified}`))

  /**
   * Concurrent requests with a valid credential share one request to the leader. All other concurrent requests share a
   * second one, so that they do not delay the requests with a valid credential.
   */
  function startShared(sandbox: OwnedSandbox, client: string | undefined, isVerified: boolean): Promise<RunningStack> {
    const key = `${sandbox.id} ${isVerified}`
    const shared =
      starting.get(key) ??
      start(sandbox, client, isVerified).finally(() => {
        starting.delete(key)
        if (!isStarting(sandbox.id)) early.delete(sandbox.id)
      })
    starting.set(key, shared)
    return shared
  }

  async function stop(sandboxId: string, replica?: StackAddress): Promise<void> {
    if (!replica) known.get(sandboxId)?.end()
    const answer = await request({ kind: 'stop', sandboxId, ...(replica ? { replica } : {}) }, STOP_LIMIT_MS)
    if ('problem' in answer) throw problemOf(answer)
  }
  const stopUnresponsive = createStopUnresponsive({ stop, log })

  const pool: StackPool & {
    handle(what: StackRequest): Promise<StackAnswer>
    setReplicas: typeof setReplicas
    gone(sandboxId: string): void
    allGone(): void
  } = {
    ...local,
    handle,
    setReplicas,
    /** Call this when the stack is being stopped or has ended: the next request asks the leader again. */
    gone(sandboxId) {
      early.delete(sandboxId)
      known.get(sandboxId)?.end()
    },
    /**
     * Call this when messages could have been lost, including the message that a stack has ended: the next request for
     * each stack asks the leader again.
     */
    allGone: () => {
      for (const { end } of known.values()) end()
    },
    async use(sandbox, by = {}) {
      const { isFromCaller = () => true, client, verify } = by
      let isVerified = false
      const beganAt = elapsedMs()
      const endUse = uses.begin(sandbox.id, () => isVerified || isFromCaller(elapsedMs() - beganAt))
      try {
        if (isLeader()) {
          const { stack, release } = await local.use(sandbox, by)
          return { stack, release: inTurn(release, endUse) }
        }
        const running = known.get(sandbox.id)?.stack
        if (running) return { stack: running, release: endUse }
        isVerified = await (verify?.() ?? isFromCaller(0))
        return { stack: await startShared(sandbox, client, isVerified), release: endUse }
      } catch (err) {
        endUse()
        throw err
      }
    },
    async send(sandboxId, command) {
      if (isLeader()) return await local.send(sandboxId, command)
      const answer = await request({ kind: 'send', sandboxId, command }, START_LIMIT_MS)
      if ('problem' in answer) throw problemOf(answer)
    },
    /**
     * While other replicas can be reached, only `replica` is avoided, and the leader reports when it has ended. If all
     * replicas are avoided, `list` has all of them again, and the next request asks the leader for the stack.
     */
    noteUnreachable(sandboxId, stack, replica) {
      local.noteUnreachable(sandboxId, stack, replica)
      const present = known.get(sandboxId)
      if (present?.stack !== stack) return
      const { replicas } = present
      if (replica && !replicas.all().includes(replica)) return
      if (replicas.list().length === replicas.all().length) present.end()
    },
    /** Leaves the stacks running. */
    async close() {
      local.abandon()
      await local.close()
    },
    stop: (sandboxId) => (isLeader() ? local.stop(sandboxId) : stop(sandboxId)),
    stopUnresponsive: (sandboxId, stack, replica) =>
      isLeader() ? local.stopUnresponsive(sandboxId, stack, replica) : stopUnresponsive(sandboxId, stack, replica),
  }
  return pool
}

export type SharedStacks = ReturnType<typeof createSharedStacks>

/** The leader's answer is used, unless a later list of replicas has arrived for the same run of the stack. */
const latest = (answered: ReplicaList | undefined, other: ReplicaList | undefined): ReplicaList | undefined =>
  other && answered?.run === other.run && other.version > answered.version ? other : answered

const inTurn =
  (...steps: (() => void)[]) =>
  () => {
    for (const step of steps) step()
  }
