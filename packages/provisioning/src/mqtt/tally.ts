import { elapsedMs } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'

export type MqttOutcome = 'ingested' | 'refused' | 'ignored' | 'deadLetter' | 'unstored'

const LOG_EVERY_MS = 60_000
const MAX_SUBJECTS = 10_000

/**
 * Counts the outcomes of messages. Logs at most one warning a minute about each subject (`about`). Further warnings
 * about the subject are logged at the level debug.
 */
export function createTally(log: Log) {
  const counts: Record<MqttOutcome, number> = { ingested: 0, refused: 0, ignored: 0, deadLetter: 0, unstored: 0 }
  const lastLoggedAt = new Map<string, number>()
  return {
    counts,
    count(outcome: MqttOutcome, messages = 1): void {
      counts[outcome] += messages
    },
    warn(about: string, fields: object, sentence: string): void {
      const now = elapsedMs()
      const isNews = now - (lastLoggedAt.get(about) ?? Number.NEGATIVE_INFINITY) >= LOG_EVERY_MS
      if (isNews) {
        if (lastLoggedAt.size >= MAX_SUBJECTS) lastLoggedAt.clear()
        lastLoggedAt.set(about, now)
      }
      log[isNews ? 'warn' : 'debug'](fields, sentence)
    },
  }
}

export type Tally = ReturnType<typeof createTally>
