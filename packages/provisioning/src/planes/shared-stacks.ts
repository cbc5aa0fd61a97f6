import { problems } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import {
  createStopUnresponsive,
  type LocalStackPool,
  type OwnedSandbox,
  type RunningStack,
  type StackPool,
} from '../stacks/index.ts'
import type { StackAnswer, StackRequest } from './notices.ts'
import type { UseRecorder } from './record-uses.ts'
import { problemAnswer, problemOf } from './stack-answers.ts'

export interface SharedStacksOptions {
  /** Starts and stops stacks, while this control plane leads. */
  local: LocalStackPool
  isLeader(): boolean
  uses: UseRecorder
  /**
   * Sends a request to the leader. Resolves with undefined if it did not answer in time, or if this control plane leads
   * now.
   */
  ask(request: StackRequest, limitMs: number): Promise<StackAnswer | undefined>
  log: Log
}

interface Known {
  stack: RunningStack
  end(): void
}

/** How long a request waits for its stack, and a stop for its end. */
const START_LIMIT_MS = 15_000
const STOP_LIMIT_MS = 20_000

/**
 * The stacks as each control plane sees them. Only the leader starts and stops stacks, so all limits hold and two
 * requests at once start a stack once. The others ask it for a stack, and then use it directly until it ends.
 */
export function createSharedStacks({ local, isLeader, uses, ask, log }: SharedStacksOptions) {
  const known = new Map<string, Known>()
  const starting = new Map<string, Promise<RunningStack>>()

  async function request(what: StackRequest, limitMs: number): Promise<StackAnswer> {
    const deadline = elapsedMs() + limitMs
    while (elapsedMs() < deadline) {
      if (isLeader()) return await handle(what)
      const answer = await ask(what, deadline - elapsedMs())
      if (answer) return answer
    }
    throw problems.notReady('The sandbox is waking up', 2)
  }

  /** Does what another control plane asks for, and answers it. */
  async function handle(what: StackRequest): Promise<StackAnswer> {
    try {
      if (what.kind === 'start') {
        const { sandboxId: id, organizationId, serverId, client, isVerified } = what
        const { stack, release } = await local.use(
          { id, organizationId, serverId },
          { isFromCaller: () => isVerified, verify: async () => isVerified, ...(client === null ? {} : { client }) },
        )
        release()
        return { host: stack.host, port: stack.port }
      }
      if (what.kind === 'stop') await local.stop(what.sandboxId)
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
    const { host, port } = answer
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const end = () => {
      if (known.get(sandboxId)?.stack === stack) known.delete(sandboxId)
      resolve()
    }
    const stack: RunningStack = { host: host!, port: port!, ended }
    known.get(sandboxId)?.end()
    known.set(sandboxId, { stack, end })
    return stack
  }

  /** Requests at the same time share one start. Those with a valid credential do not wait behind those without. */
  function startShared(sandbox: OwnedSandbox, client: string | undefined, isVerified: boolean): Promise<RunningStack> {
    const key = `${sandbox.id} ${isVerified}`
    const shared = starting.get(key) ?? start(sandbox, client, isVerified).finally(() => starting.delete(key))
    starting.set(key, shared)
    return shared
  }

  const stop = async (sandboxId: string) => {
    known.get(sandboxId)?.end()
    const answer = await request({ kind: 'stop', sandboxId }, STOP_LIMIT_MS)
    if ('problem' in answer) throw problemOf(answer)
  }
  const stopUnresponsive = createStopUnresponsive({ stop, log })

  const pool: StackPool & {
    handle(what: StackRequest): Promise<StackAnswer>
    gone(sandboxId: string): void
    allGone(): void
  } = {
    ...local,
    handle,
    /** The stack is being stopped, or has ended: the next request asks the leader again. */
    gone: (sandboxId) => known.get(sandboxId)?.end(),
    /** Messages may have been lost, so every stack may have ended. */
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
      await request({ kind: 'send', sandboxId, command }, START_LIMIT_MS)
    },
    noteUnreachable(sandboxId, stack) {
      const present = known.get(sandboxId)
      if (present?.stack === stack) present.end()
    },
    /** The stacks run on. */
    async close() {
      local.abandon()
      await local.close()
    },
    stop: (sandboxId) => (isLeader() ? local.stop(sandboxId) : stop(sandboxId)),
    stopUnresponsive: (sandboxId, stack) =>
      isLeader() ? local.stopUnresponsive(sandboxId, stack) : stopUnresponsive(sandboxId, stack),
  }
  return pool
}

export type SharedStacks = ReturnType<typeof createSharedStacks>

const inTurn =
  (...steps: (() => void)[]) =>
  () => {
    for (const step of steps) step()
  }
