import { createHash, randomBytes } from 'node:crypto'

/**
 * While an account is slowed down, all addresses together can guess its password 40 times a minute at each control
 * plane, because a round of three seconds admits two attempts.
 */
const ROUND_MS = 3_000
const ADMITTED_PER_ROUND = 2

/** A sign-in attempt. */
export interface Candidate {
  /** The recent failures for this account from this address, or from the network of the address if those are more. */
  failures: number
  address: string
}

export interface SlowDown {
  /** Resolves with true at the end of the round if the attempt is admitted, and with false once it is refused. */
  admit(subject: string, candidate: Candidate): Promise<boolean>
  roundMs: number
}

interface Waiting extends Candidate {
  rank: number
  resolve(isAdmitted: boolean): void
}

/**
 * Limits attempts at an account that is attacked from many addresses. Attempts wait for the end of a round, in which
 * only a few are admitted: those with the fewest failures, and at most one from each address. If attempts have equally
 * many failures, a random rank of their addresses decides. So neither early nor frequent attempts keep the owner out,
 * and an attacker needs a new address for every attempt. A browser in which the owner signed in before does not wait
 * at all.
 */
export function createSlowDown(roundMs = ROUND_MS): SlowDown {
  const rounds = new Map<string, { seed: Buffer; waiting: Waiting[] }>()

  function begin(subject: string) {
    const round = { seed: randomBytes(16), waiting: [] as Waiting[] }
    rounds.set(subject, round)
    const end = () => {
      rounds.delete(subject)
      for (const { resolve } of round.waiting) resolve(true)
    }
    setTimeout(end, roundMs).unref()
    return round
  }

  return {
    roundMs,
    admit(subject, { failures, address }) {
      const { seed, waiting } = rounds.get(subject) ?? begin(subject)
      const rank = createHash('sha256').update(seed).update(address).digest().readUIntBE(0, 6)
      return new Promise((resolve) => {
        waiting.push({ failures, address, rank, resolve })
        waiting.sort((a, b) => a.failures - b.failures || a.rank - b.rank)
        const isOfAddress = (one: Waiting) => one.address === address
        const further = waiting.findLastIndex(isOfAddress)
        if (further !== waiting.findIndex(isOfAddress)) waiting.splice(further, 1)[0]!.resolve(false)
        for (const last of waiting.splice(ADMITTED_PER_ROUND)) last.resolve(false)
      })
    },
  }
}
