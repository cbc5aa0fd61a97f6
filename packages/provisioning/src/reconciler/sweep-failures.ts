import { isDenied, isUnavailable } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { DatabaseInUse } from '../tenants/index.ts'

/** Runs a step for one sandbox. */
export type Attempt = (sandboxId: string, step: string, work: () => Promise<unknown>) => Promise<void>

/**
 * Runs the steps of a sweep. If a step fails for one sandbox, for example because its database belongs to another role,
 * the sweep continues with the others; an unavailable database ends the sweep. A line is logged when a step starts to
 * fail for a sandbox, when its error changes, and when it succeeds again.
 */
export function createSweepFailures(log: Log) {
  let failing = new Map<string, string>()
  return {
    async round<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
      const failed = new Map<string, string>()
      const result = await work(async (sandboxId, step, run) => {
        const key = `${step} ${sandboxId}`
        try {
          await run()
          if (failing.has(key)) log.info({ sandboxId, step }, 'sweep of a sandbox succeeds again')
        } catch (err) {
          const isOwn = isDenied(err) || err instanceof DatabaseInUse
          if (isUnavailable(err) && !isOwn) throw err
          const { message } = err as Error
          failed.set(key, message)
          if (failing.get(key) !== message) log.error({ err, sandboxId, step }, 'sweep of a sandbox failed')
        }
      })
      failing = failed
      return result
    },
  }
}
