import { unavailableCode } from '../database/index.ts'
import type { Log } from '../log.ts'

const EVERY_MS = 10_000

/**
 * Logs one line for each code in ten seconds, with the number of errors in between, because an outage fails every request.
 * Ignores errors of any other kind.
 */
export function createUnavailableLog(log: Log, now: () => number = () => performance.now()): (cause: unknown) => void {
  const seen = new Map<string, { at: number; repeated: number }>()
  return (cause) => {
    const sqlstate = unavailableCode(cause)
    if (sqlstate === undefined) return
    const last = seen.get(sqlstate)
    if (last !== undefined && now() - last.at < EVERY_MS) {
      last.repeated++
      return
    }
    seen.set(sqlstate, { at: now(), repeated: 0 })
    const reason = (cause as Error).message
    log.warn({ sqlstate, reason, repeated: last?.repeated ?? 0 }, 'database unavailable')
  }
}
