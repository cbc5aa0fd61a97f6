/** Who waits for a turn. */
export interface Waiter {
  /** Turns go round among these: a network, or a browser. */
  who: string
  /** The browser has signed in before, or the password was right already. */
  isKnown: boolean
  /** Any number may wait: their requests are limited elsewhere. */
  isUnlimited?: true
}

/** Too many tasks of the same network or browser wait. */
export class TooManyWaiting extends Error {}

export interface FairTurnsOptions {
  /** The number of concurrent tasks. */
  atATime: number
  /** The number of waiting tasks of one network or browser. */
  maxWaiting: number
}

type Line = Map<string, (() => void)[]>

/**
 * Runs a few tasks at a time. Waiting tasks take turns by network or browser, and every second turn is for a known
 * browser. So many tasks of one network delay each other, and others wait for only one task of each network.
 */
export function createFairTurns({ atATime, maxWaiting }: FairTurnsOptions) {
  const lines: [strangers: Line, known: Line] = [new Map(), new Map()]
  let running = 0
  let wasKnown = false

  function next(): (() => void) | undefined {
    const [strangers, known] = lines
    const isKnown = known.size > 0 && (!wasKnown || strangers.size === 0)
    const line = isKnown ? known : strangers
    const [first] = line
    if (first === undefined) return undefined
    wasKnown = isKnown
    const [who, waiting] = first
    const start = waiting.shift()
    line.delete(who)
    if (waiting.length > 0) line.set(who, waiting)
    return start
  }

  const isFull = ({ isUnlimited }: Waiter, { length }: unknown[]) => isUnlimited !== true && length >= maxWaiting
  const waitingOf = ({ who, isKnown }: Waiter) => lines[isKnown ? 1 : 0].get(who) ?? []

  function wait(waiter: Waiter): Promise<void> {
    const waiting = waitingOf(waiter)
    if (isFull(waiter, waiting)) throw new TooManyWaiting()
    lines[waiter.isKnown ? 1 : 0].set(waiter.who, waiting)
    return new Promise((resolve) => waiting.push(resolve))
  }

  return {
    /** Whether it would be refused now. */
    isCrowded: (waiter: Waiter): boolean => isFull(waiter, waitingOf(waiter)),
    /** Throws TooManyWaiting. */
    async run<T>(waiter: Waiter, work: () => Promise<T>): Promise<T> {
      if (running >= atATime) await wait(waiter)
      else running++
      try {
        return await work()
      } finally {
        const start = next()
        if (start) start()
        else running--
      }
    },
  }
}
