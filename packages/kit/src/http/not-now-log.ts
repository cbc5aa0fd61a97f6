import type { FastifyBaseLogger } from 'fastify'

const EVERY_MS = 10_000

/** One line for each code in ten seconds, with the count of those in between: an outage fails every request alike. */
export function createNotNowLog(now: () => number = () => performance.now()) {
  const seen = new Map<string, { at: number; repeated: number }>()
  return (log: FastifyBaseLogger, sqlstate: string, cause: unknown): void => {
    const last = seen.get(sqlstate)
    if (last !== undefined && now() - last.at < EVERY_MS) {
      last.repeated++
      return
    }
    seen.set(sqlstate, { at: now(), repeated: 0 })
    const reason = cause instanceof Error ? cause.message : undefined
    log.warn({ sqlstate, reason, repeated: last?.repeated ?? 0 }, 'the database cannot do this now')
  }
}
