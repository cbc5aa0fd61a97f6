import { type ServeConfig, UNAVAILABLE_EXIT_CODE } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import { createRemoteStack, type RemoteStack } from '../remote-stack.ts'
import {
  DatabaseUnavailable,
  type OnDue,
  type OnReplica,
  type RunningStack,
  SchemaMismatch,
  StackEnded,
  StartTimedOut,
} from '../stack-runtime.ts'
import { STACK } from './labels.ts'
import type { Pod } from './objects.ts'
import { isAlive, lastEndOf, type PodEnd, type PodProblem, restartsOf, waitProblem } from './pod-state.ts'
import { createReplicaGroup, type ReplicaGroup } from './replica-group.ts'
import type { SandboxObjects } from './sandbox-objects.ts'
import type { PodWatch } from './watch-pods.ts'

export interface RunStackOptions {
  objects: SandboxObjects
  watch: PodWatch
  controlPort: number
  image: string
  /** Whether a replica still serves requests for a moment after SIGTERM. */
  servesAfterSigterm: boolean
  log: Log
  startLimitMs: number
}

const CHECK_EVERY_MS = 500
/** Problems that do not pass by themselves. With one of them, the start fails before its time limit. */
const LASTING: readonly PodProblem['kind'][] = ['image', 'configuration', 'quota', 'refused']
const LASTING_AFTER_MS = 5_000
const STOPPED = { exitCode: 0, signal: null }

export interface StartOptions {
  onDue: OnDue
  onStorage?: ((bytes: number) => void) | undefined
  onReplica?: OnReplica | undefined
  onServing(remote: RemoteStack): void
  signal: AbortSignal
}

/** Starts stacks in the cluster, and connects to them. */
export function createStackRun(options: RunStackOptions) {
  const { objects, watch, controlPort, image, servesAfterSigterm, log, startLimitMs } = options
  const aliveOf = (sandboxId: string): Pod[] => watch.of(sandboxId, STACK).filter(isAlive)

  /** Resolves when the first replica gets requests. */
  async function untilServing(sandboxId: string, group: ReplicaGroup, signal: AbortSignal): Promise<RunningStack> {
    const beganAt = elapsedMs()
    let runsSince: number | undefined
    for (;;) {
      const isFollowing = () => group.isFollowing() || undefined
      const change = watch.until(sandboxId, runsSince === undefined ? isFollowing : () => undefined, {
        limitMs: CHECK_EVERY_MS,
        signal,
      })
      const running = await Promise.race([group.serving, change])
      if (running && running !== true) return running
      if (signal.aborted) throw new StackEnded(STOPPED)
      if (group.isFollowing()) {
        runsSince ??= elapsedMs()
        if (elapsedMs() - runsSince > startLimitMs) throw new StartTimedOut(startLimitMs, undefined)
        continue
      }
      runsSince = undefined
      await refuseProblem(sandboxId, elapsedMs() - beganAt)
    }
  }

  /**
   * Throws if every pod has restarted at least once, if a lasting problem prevents the start, or if the start takes too
   * long.
   */
  async function refuseProblem(sandboxId: string, waitedMs: number): Promise<void> {
    const pods = aliveOf(sandboxId)
    const [pod] = pods
    // The cluster waits longer before each further restart of a container, so the start fails now.
    if (pod && pods.every((one) => restartsOf(one) > 0)) throw errorOf(lastEndOf(pod))
    const problem = pod ? waitProblem(pod) : await objects.stackProblem(sandboxId).catch(() => undefined)
    if (waitedMs < startLimitMs && !(problem && LASTING.includes(problem.kind) && waitedMs > LASTING_AFTER_MS)) return
    log.error({ sandboxId, ...problem }, 'cluster did not start the stack')
    throw new Error(`the cluster did not start the stack: ${problem?.detail ?? 'no pod runs'}`)
  }

  return {
    isAlive: (sandboxId: string): boolean => aliveOf(sandboxId).length > 0,
    async start(
      config: ServeConfig,
      { onStorage, ...callbacks }: StartOptions,
    ): Promise<{ group: ReplicaGroup; running: RunningStack }> {
      const { sandboxId, internalKey } = config
      await watch.start()
      const [present] = aliveOf(sandboxId)
      if (!present) await objects.applyStack(config)
      else if (present.spec?.containers?.[0]?.image !== image)
        log.info({ sandboxId, image: present.spec?.containers?.[0]?.image }, 'stack runs another image until it stops')
      const group = createReplicaGroup({
        ...{ ...callbacks, sandboxId, watch, errorOf, servesAfterSigterm, log },
        endPod: ({ metadata }) => objects.endPod(metadata),
        connect: (host, onDue) =>
          createRemoteStack({ sandboxId, host, controlPort, internalKey: internalKey!, onDue, onStorage, log }),
      })
      try {
        return { group, running: await untilServing(sandboxId, group, callbacks.signal) }
      } catch (err) {
        group.close()
        throw err
      }
    },
  }
}

function errorOf({ exitCode, message, problem }: PodEnd): Error {
  if (message?.type === 'schema') return new SchemaMismatch(message.state, message.version)
  if (exitCode === UNAVAILABLE_EXIT_CODE) return new DatabaseUnavailable('the database is unavailable')
  const err = new StackEnded({ exitCode, signal: null })
  if (problem) err.message += `: ${problem.detail}`
  return err
}
