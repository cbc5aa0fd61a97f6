/** What waits in a lane: a request, or an upgrade. */
export interface Waiting {
  /** Closes when it is answered, or somebody else's. */
  response: { once(event: 'close', listener: () => void): unknown }
  connection: { over: AbortSignal }
}

export interface LaneOptions {
  /** Requests of one address that are worked on at a time. */
  perAddress: number
  /** A request that takes longer waits for something else than this process, and others may go on. */
  holdMs: number
}

export const LANE: LaneOptions = { perAddress: 16, holdMs: 1_000 }

interface Lane<T> {
  under: number
  /** In their order. Who leaves is taken out, so that nothing is kept of it. */
  waiting: Set<T>
}

/**
 * Requests that nobody has signed in for, a few of each address at a time: however many connections an address sends on,
 * a caller's request waits behind a few of its requests, and not behind all.
 */
export function createStrangersLane<T extends Waiting>(
  begin: (turn: T) => void,
  { perAddress, holdMs }: LaneOptions = LANE,
) {
  const lanes = new Map<string, Lane<T>>()

  function start(address: string, lane: Lane<T>, turn: T): void {
    lane.under++
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      lane.under--
      next(address, lane)
    }
    const timer = setTimeout(leave, holdMs)
    turn.response.once('close', leave)
    begin(turn)
  }

  function next(address: string, lane: Lane<T>): void {
    for (const turn of lane.waiting) {
      if (lane.under >= perAddress) break
      lane.waiting.delete(turn)
      if (!turn.connection.over.aborted) start(address, lane, turn)
    }
    if (lane.under === 0 && lane.waiting.size === 0) lanes.delete(address)
  }

  return {
    enter(address: string, turn: T): void {
      const lane: Lane<T> = lanes.get(address) ?? { under: 0, waiting: new Set() }
      lanes.set(address, lane)
      lane.waiting.add(turn)
      turn.response.once('close', () => lane.waiting.delete(turn))
      next(address, lane)
    },
    /** How many wait. */
    get size() {
      return [...lanes.values()].reduce((sum, { waiting }) => sum + waiting.size, 0)
    },
  }
}
