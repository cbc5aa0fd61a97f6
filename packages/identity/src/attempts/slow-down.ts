import { createHash, randomBytes } from 'node:crypto'

/** Together they limit distributed guessing at one account to 40 attempts a minute. */
const PAUSE_MS = 3_000
const TURNS = 2

/** A sign-in attempt. */
export interface Candidate {
  /** Recent failures of this account from this address. */
  failures: number
  address: string
}

export interface SlowDown {
  /** True for a few of those who come within a pause, at its end; false for the others, as soon as that is known. */
  pass(subject: string, candidate: Candidate): Promise<boolean>
  pauseMs: number
}

interface Waiting {
  failures: number
  lot: number
  settle(isLetIn: boolean): void
}

/**
 * For an account that is being guessed at from many addresses. Its owner waits for a moment at a browser that never
 * signed in before, and at any other not at all. Whoever failed less often there goes first, and among equals the lot
 * decides, which is one for each address: so neither who comes first nor who comes often keeps others out, and to win
 * against an owner who has not failed takes a new address for every try.
 */
export function createSlowDown(pauseMs = PAUSE_MS): SlowDown {
  const rounds = new Map<string, { seed: Buffer; waiting: Waiting[] }>()

  function begin(subject: string) {
    const round = { seed: randomBytes(16), waiting: [] as Waiting[] }
    rounds.set(subject, round)
    const end = () => {
      rounds.delete(subject)
      for (const { settle } of round.waiting) settle(true)
    }
    setTimeout(end, pauseMs).unref()
    return round
  }

  return {
    pauseMs,
    pass(subject, { failures, address }) {
      const { seed, waiting } = rounds.get(subject) ?? begin(subject)
      const lot = createHash('sha256').update(seed).update(address).digest().readUIntBE(0, 6)
      return new Promise((settle) => {
        waiting.push({ failures, lot, settle })
        waiting.sort((a, b) => a.failures - b.failures || a.lot - b.lot)
        for (const last of waiting.splice(TURNS)) last.settle(false)
      })
    },
  }
}
