import { type ExceededLimit, exceededLimit, unavailableCode } from '../database/index.ts'
import type { Log } from '../log.ts'

const EVERY_MS = 10_000

const PHRASES: Record<ExceededLimit, string> = {
  statement: 'database statement exceeded its time limit',
  lock: 'database lock not acquired in time',
  'idle transaction': 'idle database transaction ended',
}

/**
 * Logs at most one line in ten seconds for each code, with the number of errors since the last line, because in an
 * outage every request fails. For exceeded time limits, each route has lines of its own. Ignores all other errors.
 */
export function createUnavailableLog(
  log: Log,
  now: () => number = () => performance.now(),
): (cause: unknown, route?: string) => void {
  const seen = new Map<string, { at: number; repeated: number }>()
  return (cause, route) => {
    const code = unavailableCode(cause)
    if (code === undefined) return
    const limit = exceededLimit(code)
    const key = limit === undefined ? code : `${code} ${route}`
    const last = seen.get(key)
    if (last !== undefined && now() - last.at < EVERY_MS) {
      last.repeated++
      return
    }
    seen.set(key, { at: now(), repeated: 0 })
    const { message: reason, statement } = cause as Error & { statement?: string }
    const fields = { code, reason, repeated: last?.repeated ?? 0 }
    if (limit === undefined) log.warn(fields, 'database unavailable')
    else log.warn({ ...fields, route, statement }, PHRASES[limit])
  }
}
