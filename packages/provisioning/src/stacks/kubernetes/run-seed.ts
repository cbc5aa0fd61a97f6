import { type SeedConfig, type SeedResult, type StackMessage, UNAVAILABLE_EXIT_CODE } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'
import { followMessages } from '../control-client.ts'
import { DatabaseUnavailable, SeedError, SeedKilled } from '../stack-runtime.ts'
import { KubernetesRefusal } from './api-client.ts'
import { SEED } from './labels.ts'
import { addressOf, endOf, isTerminating, type PodEnd, type PodProblem, textOf, waitProblem } from './pod-state.ts'
import { creationProblem, type SandboxObjects } from './sandbox-objects.ts'
import type { PodWatch } from './watch-pods.ts'

export interface RunSeedOptions {
  objects: SandboxObjects
  watch: PodWatch
  controlPort: number
  log: Log
  /** How long a pod may wait for a node, an image or quota. A cluster may have to start a node first. */
  pendingLimitMs: number
}

type Report = (percent: number, step: string) => void

const CHECK_EVERY_MS = 1_000
/** Exit codes of a process that was ended by SIGKILL or SIGTERM. */
const ENDED_BY_SIGNAL = [137, 143]

/** Seeds a sandbox in a job of Kubernetes. */
export function createSeedRun({ objects, watch, controlPort, log, pendingLimitMs }: RunSeedOptions) {
  async function apply(config: SeedConfig, signal: AbortSignal): Promise<void> {
    const { sandboxId } = config
    try {
      await watch.start()
      await objects.removeSeed(sandboxId)
      await objects.applySeed(config)
    } catch (err) {
      if (signal.aborted) throw new SeedError('Seeding was aborted')
      if (!(err instanceof KubernetesRefusal)) throw err
      throw failed(sandboxId, creationProblem(err.message))
    }
  }

  function failed(sandboxId: string, problem: PodProblem): SeedError {
    log.error({ sandboxId, ...problem }, 'cluster did not run the seeding')
    return new SeedError(`Seeding failed: ${textOf(problem)}`)
  }

  /** Follows the pod of the job until the pod ends. */
  async function follow(config: SeedConfig, report: Report, signal: AbortSignal) {
    const { sandboxId } = config
    let follower: ReturnType<typeof followMessages> | undefined
    let result: SeedResult | undefined
    let hadPod = false
    const beganAt = elapsedMs()
    const onMessage = (message: StackMessage) => {
      if (message.type === 'progress') report(message.percent, message.step)
      if (message.type === 'seeded') result = message.result
    }
    const find = (): PodEnd | undefined => {
      const pods = watch.of(sandboxId, SEED)
      const pod = pods.find((one) => !isTerminating(one)) ?? pods[0]
      // The pod may have been deleted while it ran, for example because its node is drained.
      if (!pod)
        return hadPod ? { exitCode: null, problem: { kind: 'evicted', detail: 'the pod was deleted' } } : undefined
      hadPod = true
      const host = addressOf(pod)
      if (host !== undefined)
        follower ??= followMessages({
          ...{ host, port: controlPort, key: config.internalKey!, onMessage, log },
          ...{ onLost: () => undefined, lostAfterMs: Number.POSITIVE_INFINITY },
        })
      return endOf(pod)
    }
    try {
      for (;;) {
        const end = await watch.until(sandboxId, find, { limitMs: CHECK_EVERY_MS, signal })
        if (end) return { end, result }
        if (signal.aborted) throw new SeedError('Seeding was aborted')
        const [pod] = watch.of(sandboxId, SEED)
        const isPending = !pod || addressOf(pod) === undefined
        if (!isPending || elapsedMs() - beganAt < pendingLimitMs) continue
        const problem = pod ? waitProblem(pod) : await objects.seedProblem(sandboxId).catch(() => undefined)
        throw failed(sandboxId, problem ?? { kind: 'unschedulable', detail: 'the pod did not start in time' })
      }
    } finally {
      follower?.close()
    }
  }

  function resultOf(sandboxId: string, end: PodEnd, reported: SeedResult | undefined): SeedResult {
    const { exitCode, problem, message } = end
    const result = message?.type === 'seeded' ? message.result : reported
    if (exitCode === 0 && result) return result
    if (exitCode === UNAVAILABLE_EXIT_CODE) throw new DatabaseUnavailable('the database is unavailable')
    if (problem) {
      log.warn({ sandboxId, exitCode, ...problem }, 'seeding was ended by the cluster')
      throw new SeedKilled(problem.detail, textOf(problem))
    }
    if (exitCode === null || ENDED_BY_SIGNAL.includes(exitCode))
      throw new SeedKilled(exitCode === null ? 'seeding was ended' : `seeding was ended (exit code ${exitCode})`)
    throw new SeedError(`Seeding failed: the process exited with code ${exitCode}`)
  }

  return async (config: SeedConfig, report: Report, signal: AbortSignal): Promise<SeedResult> => {
    const { sandboxId } = config
    try {
      await apply(config, signal)
      const { end, result } = await follow(config, report, signal)
      return resultOf(sandboxId, end, result)
    } finally {
      await objects.removeSeed(sandboxId).catch((err) => log.warn({ err, sandboxId }, 'could not remove seeding job'))
    }
  }
}
