import { createLoop } from '@storey/kit/background'
import type { Clock } from '@storey/kit/clock'
import type { Log } from '@storey/kit/log'

/** The moment at which a part next has something to do by itself. null: nothing. In the past: it is at it, or behind. */
export type NextDue = () => Promise<Date | null>

/**
 * What a stack does without being asked, such as trying a delivery again. Nobody else knows of it, so the stack says
 * when the next of it is due: until then it may be stopped, and it is woken in time.
 */
export interface DueWork {
  register(nextDue: NextDue): void
  /** Something may be due at another moment than was said: look soon. */
  changed(): void
  /** Over all parts. */
  earliest(): Promise<Date | null>
  /** Tells the earliest moment now, whenever it is another, and at the end, so that a stop without it was no clean one. */
  start(tell: Tell): void
  close(): Promise<void>
}

type Tell = (at: Date | null) => Promise<void> | void

export interface DueWorkOptions {
  clock: Clock
  log: Log
  /** How long after a change, and how often without one. */
  soonMs?: number
  everyMs?: number
}

export function createDueWork({ clock, log, soonMs = 200, everyMs = 15_000 }: DueWorkOptions): DueWork {
  const parts: NextDue[] = []
  let tell: Tell | undefined
  let told: Date | null | undefined
  const loop = createLoop({ name: 'due-work', log, run: report, everyMs })

  async function earliest(): Promise<Date | null> {
    const moments = (await Promise.all(parts.map((nextDue) => nextDue()))).filter((at) => at !== null)
    return moments.length === 0 ? null : new Date(Math.min(...moments.map((at) => at.getTime())))
  }

  async function report(): Promise<void> {
    const at = await earliest()
    if (isSame(at, told, clock.now())) return
    await tell?.(at)
    told = at
  }

  return {
    register: (nextDue) => void parts.push(nextDue),
    changed() {
      if (tell) loop.wakeIn(soonMs)
    },
    earliest,
    start(listener) {
      tell = listener
      loop.start()
    },
    async close() {
      await loop.stop()
      if (tell) await tell(await earliest())
    },
  }
}

/** Work that is behind stays behind: it is not told again for each moment that passes. */
function isSame(a: Date | null, b: Date | null | undefined, now: Date): boolean {
  if (!a || !b) return a === b
  return a.getTime() === b.getTime() || (a <= now && b <= now)
}
