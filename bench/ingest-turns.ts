import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './report.ts'

/** An odd number, so that the median is one of the turns. */
const TURNS = 5
const WARM_UP_SECONDS = 3
const IDLE_SHARE = 0.1
const MAX_REST_SECONDS = 15

/** The longest time for which `inTurns` sends to one system, if it is called with `seconds`. */
export const sendingSeconds = (seconds: number): number => seconds + WARM_UP_SECONDS

/** A system that is compared with others. */
export interface ComparedSystem {
  name: string
  /** Sends observations for this many seconds. Returns observations a second. */
  send(seconds: number): Promise<number>
  /** Waits until the system has no more work with what was sent. */
  rest(): Promise<void>
}

/**
 * Sends to several systems in turns, because other work on the machine makes all of them slower or faster for minutes.
 * Each system gets `seconds` in total, after a warm-up. A system rests after its turn, so that its background work does
 * not slow down the next one. Returns the rates of each system by turn, and none for a system that is undefined.
 */
export async function inTurns(systems: readonly (ComparedSystem | undefined)[], seconds: number): Promise<number[][]> {
  for (const system of systems) {
    await system?.send(WARM_UP_SECONDS)
    await system?.rest()
  }
  const rates = systems.map((): number[] => [])
  for (let turn = 1; turn <= TURNS; turn++) {
    for (const [i, system] of systems.entries()) {
      if (system === undefined) continue
      const rate = await system.send(seconds / TURNS)
      process.stdout.write(
        `${turn} of ${TURNS}, ${system.name}: ${Math.round(rate).toLocaleString('en')} observations/s\n`,
      )
      rates[i]!.push(rate)
      await system.rest()
    }
  }
  return rates
}

/** The median of the ratios of each turn; NaN if one of the systems was missing. */
export function medianRatio(rates: readonly number[], to: readonly number[]): number {
  if (rates.length === 0 || to.length === 0) return Number.NaN
  return median(rates.map((rate, turn) => rate / to[turn]!))
}

/**
 * Waits until a system uses less than a tenth of a processor. The stores compared here merge their files for a long time,
 * so the wait is limited.
 */
export async function untilIdle(cpuSeconds: () => number): Promise<void> {
  for (let waited = 0; waited < MAX_REST_SECONDS; waited++) {
    const before = cpuSeconds()
    await sleep(1_000)
    if (cpuSeconds() - before < IDLE_SHARE) return
  }
}
