import { type Admission, createAdmission } from '@storey/kit/admission'

/** What the process has in memory, and may have. */
export interface Memory {
  limitBytes: number
  rssBytes(): number
  /** Calls back whenever it was measured again. */
  onSample(listener: () => void): void
}

/** Requests that wait keep their connections and what the system has read of them: some 100 KB each. */
const MAX_WAITING = 128
/** Below the time after which a gateway takes a stack for dead. */
const MAX_WAIT_MS = 20_000

/** Shares of the limit. What requests use besides what is there without them: */
const ROOM = 0.18
/** From here on the room shrinks, and here it is gone: then requests are taken one at a time. */
const SHRINKS_FROM = 0.72
const GONE_AT = 0.88

/** Where nobody measures, the limit is all that counts. */
export const unwatched = (limitBytes: number): Memory => ({
  limitBytes,
  rssBytes: () => 0,
  onSample: () => undefined,
})

/** Lets requests in as there is memory for them. */
export function admitByMemory(memory: Memory): Admission {
  const admission = createAdmission({
    capacity: () => roomOf(memory),
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    refusal: 'The sandbox has more requests than memory for them',
  })
  memory.onSample(admission.retry)
  return admission
}

/** How many bytes requests may use. At least one: somebody must be let in, or nothing would ever change. */
export function roomOf({ limitBytes, rssBytes }: Pick<Memory, 'limitBytes' | 'rssBytes'>): number {
  const share = rssBytes() / limitBytes
  const left = Math.min(1, Math.max(0, (GONE_AT - share) / (GONE_AT - SHRINKS_FROM)))
  return Math.max(1, Math.floor(ROOM * limitBytes * left))
}
