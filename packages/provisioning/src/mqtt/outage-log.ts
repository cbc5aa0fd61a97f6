import { elapsedMs as systemElapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'

/**
 * An outage that begins within this time after the last logged one began is not logged. Otherwise a broker that accepts
 * and closes each connection would cause many lines.
 */
const LOG_EVERY_MS = 5_000

/** Logs when a broker becomes unreachable and when it is connected again: a pair of lines for each logged outage. */
export function createOutageLog(url: URL, log: Log, elapsedMs = systemElapsedMs) {
  let lostAt: number | undefined
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    lost(): void {
      if (lostAt !== undefined) return
      lostAt = elapsedMs()
      if (lostAt - loggedAt < LOG_EVERY_MS) return
      loggedAt = lostAt
      log.warn({ url: url.href }, 'external MQTT broker unreachable')
    },
    connected(): void {
      const isLogged = lostAt !== undefined && lostAt === loggedAt
      if (isLogged) {
        const outageS = Math.round((elapsedMs() - lostAt!) / 100) / 10
        log.info({ url: url.href, outageS }, 'external MQTT broker connected again')
      }
      lostAt = undefined
    },
  }
}

export type OutageLog = ReturnType<typeof createOutageLog>
