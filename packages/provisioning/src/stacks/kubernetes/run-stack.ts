import { type ServeConfig, UNAVAILABLE_EXIT_CODE } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import { createRemoteStack, type RemoteStack } from '../remote-stack.ts'
import {
  DatabaseUnavailable,
  type OnDue,
  type RunningStack,
  SchemaMismatch,
  StackEnded,
  StartTimedOut,
} from '../stack-runtime.ts'
import { STACK } from './labels.ts'
import type { Pod } from './objects.ts'
import {
  addressOf,
  endOf,
  isAlive,
  isTerminating,
  lastEndOf,
  type PodEnd,
  type PodProblem,
  restartsOf,
  waitProblem,
} from './pod-state.ts'
import type { SandboxObjects } from './sandbox-objects.ts'
import type { PodWatch } from './watch-pods.ts'

export interface RunStackOptions {
  objects: SandboxObjects
  watch: PodWatch
  controlPort: number
  image: string
  log: Log
  startLimitMs: number
}

const CHECK_EVERY_MS = 500
/** Problems that do not pass by themselves: the start fails before its time limit. */
const LASTING: readonly PodProblem['kind'][] = ['image', 'configuration', 'quota', 'refused']
const LASTING_AFTER_MS = 5_000
const STOPPED = { exitCode: 0, signal: null }

/** Starts stacks in the cluster, and connects to them. */
export function createStackRun({ objects, watch, controlPort, image, log, startLimitMs }: RunStackOptions) {
  const aliveOf = (sandboxId: string): Pod | undefined => watch.of(sandboxId, STACK).find(isAlive)

  /** Resolves with the pod when its container runs. */
  async function untilRunning(sandboxId: string, signal: AbortSignal): Promise<Pod> {
    const beganAt = elapsedMs()
    for (;;) {
      const find = () => {
        const pod = aliveOf(sandboxId)
        return pod && addressOf(pod) !== undefined ? pod : undefined
      }
      const running = await watch.until(sandboxId, find, { limitMs: CHECK_EVERY_MS, signal })
      if (running) return running
      if (signal.aborted) throw new StackEnded(STOPPED)
      const pod = aliveOf(sandboxId)
      // The cluster delays further restarts of a container that has ended.
      if (pod && restartsOf(pod) > 0) throw errorOf(lastEndOf(pod))
      const problem = pod ? waitProblem(pod) : await objects.stackProblem(sandboxId).catch(() => undefined)
      const waitedMs = elapsedMs() - beganAt
      if (waitedMs < startLimitMs && !(problem && LASTING.includes(problem.kind) && waitedMs > LASTING_AFTER_MS))
        continue
      log.error({ sandboxId, ...problem }, 'cluster did not start the stack')
      throw new Error(`the cluster did not start the stack: ${problem?.detail ?? 'no pod runs'}`)
    }
  }

  /**
   * Ends the connection when the pod ends, is being deleted, or restarts its container. A pod that `isStopping` is
   * followed until it is gone, since it reports its due work first. Any other that is being deleted, as by a drained
   * node, has a successor, to which the next start connects.
   */
  function endWithPod(sandboxId: string, first: Pod, remote: RemoteStack, isStopping: () => boolean): Promise<PodEnd> {
    const restarts = restartsOf(first)
    return new Promise((resolve) => {
      const end = (how: PodEnd) => {
        stop()
        resolve(how)
        remote.end({ exitCode: how.exitCode, signal: null })
      }
      const check = () => {
        const pod = watch.of(sandboxId, STACK).find(({ metadata }) => metadata.uid === first.metadata.uid)
        if (!pod || (isTerminating(pod) && !isStopping())) return end({ exitCode: null })
        if (!isTerminating(pod) && (restartsOf(pod) !== restarts || endOf(pod))) end(lastEndOf(pod))
      }
      const stop = watch.onChange(sandboxId, check)
      remote.ended.then(stop)
      check()
    })
  }

  return {
    aliveOf,
    async start(
      config: ServeConfig,
      {
        onDue,
        onStorage,
        signal,
      }: { onDue: OnDue; onStorage?: ((bytes: number) => void) | undefined; signal: AbortSignal },
    ): Promise<{ remote: RemoteStack; running: RunningStack }> {
      const { sandboxId, internalKey } = config
      await watch.start()
      const present = aliveOf(sandboxId)
      if (!present) await objects.applyStack(config)
      else if (present.spec?.containers?.[0]?.image !== image)
        log.info({ sandboxId, image: present.spec?.containers?.[0]?.image }, 'stack runs another image until it stops')
      const pod = await untilRunning(sandboxId, signal)
      const remote = createRemoteStack({
        ...{
          sandboxId,
          host: addressOf(pod)!,
          controlPort,
          internalKey: internalKey!,
          onDue,
          onStorage,
          log,
        },
      })
      const ended = endWithPod(sandboxId, pod, remote, () => signal.aborted)
      const cancelled = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new StackEnded(STOPPED)), { once: true })
      })
      let timer: NodeJS.Timeout | undefined
      const limit = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new StartTimedOut(startLimitMs, undefined)), startLimitMs)
      })
      try {
        const failed = ended.then((end) => Promise.reject(errorOf(end)))
        const running = await Promise.race([remote.listening, failed, cancelled, limit])
        return { remote, running }
      } catch (err) {
        remote.end()
        throw err
      } finally {
        clearTimeout(timer)
        ended.catch(() => undefined)
        cancelled.catch(() => undefined)
        limit.catch(() => undefined)
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
