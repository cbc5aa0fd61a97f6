import { type ExceededLimit, exceededLimit, unavailableCode } from '../database/index.ts'
import type { Log } from '../log.ts'

const EVERY_MS = 10_000

const PHRASES: Record<ExceededLimit, string> = {
  statement: 'database statement exceeded its time limit',
  lock: 'database lock not acquired in time',
  'idle transaction': 'idle database transaction ended',
}

/**
 * Logs errors of an unavailable database and exceeded time limits of the database, and ignores all other errors. In an
 * outage every request fails, so at most one line is logged in ten seconds for each error code. An exceeded time limit
 * is logged separately for each route. Each line has the number of such errors that were not logged since the previous
 * line.
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
