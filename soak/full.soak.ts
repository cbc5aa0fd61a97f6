import { CONNECTIONS, loadOf, posted } from '../bench/loads.ts'
import { runSoak } from './run-soak.ts'

/**
 * `npm run soak -- full [minutes]`
 *
 * Sends observations over four connections as fast as they are accepted, by default for an hour. That fills up to 30 GB
 * of disk space.
 */

const ACCEPTED = 202
const DAY_MS = 86_400_000
/** Timestamps advance several hundred times faster than the clock, so they start in the past. */
const FROM_DAYS_AGO = 20

await runSoak('full', 60, ({ connection, base, points, isOver, attempt }) => {
  const load = loadOf('json', points, Date.now() - FROM_DAYS_AGO * DAY_MS)
  const headers = { authorization: `Bearer ${connection.token}`, 'content-type': 'application/json' }
  const target = { url: `${base}/telemetry/observations`, headers, expected: ACCEPTED }
  const rates: number[] = []
  return {
    async run() {
      // Sends in turns of five seconds, so that a refused request ends a turn and not the run.
      while (!isOver()) await attempt(async () => void rates.push(await posted(load, target, 5)))
    },
    summary: () =>
      `${Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length)} observations a second over ${CONNECTIONS} connections`,
  }
})
