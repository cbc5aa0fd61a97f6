import type { Turn } from './connection.ts'

export interface LaneOptions {
  /** Requests of one address that are worked on at a time. */
  perAddress: number
  /** A request that takes longer waits for something else than this process, and others may go on. */
  holdMs: number
}

export const LANE: LaneOptions = { perAddress: 16, holdMs: 1_000 }

interface Lane {
  under: number
  waiting: Turn[]
}

/**
 * Requests that nobody has signed in for, a few of each address at a time: however many connections an address sends on,
 * a caller's request waits behind a few of its requests, and not behind all.
 */
export function createStrangersLane(begin: (turn: Turn) => void, { perAddress, holdMs }: LaneOptions = LANE) {
  const lanes = new Map<string, Lane>()

  function start(address: string, lane: Lane, turn: Turn): void {
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

  function next(address: string, lane: Lane): void {
    while (lane.under < perAddress) {
      const turn = lane.waiting.shift()
      if (turn === undefined) break
      if (!turn.connection.over.aborted) start(address, lane, turn)
    }
    if (lane.under === 0 && lane.waiting.length === 0) lanes.delete(address)
  }

  return {
    enter(address: string, turn: Turn): void {
      const lane = lanes.get(address) ?? { under: 0, waiting: [] }
      lanes.set(address, lane)
      lane.waiting.push(turn)
      next(address, lane)
    },
  }
}
