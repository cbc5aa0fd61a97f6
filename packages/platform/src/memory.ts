import { type Admission, createAdmission } from '@storey/kit/admission'

/** The memory of the process and its limit. */
export interface Memory {
  limitBytes: number
  rssBytes(): number
  /**
   * Measures the memory in use now, for background work. Unlike `rssBytes`, it does not end the idle state of the
   * process (`commands/memory-guard.ts`).
   */
  measureBytes(): number
  /** The listener is called after each measurement. */
  onSample(listener: () => void): void
}

/** Waiting requests keep their connections and buffers: about 100 KB each. */
const MAX_WAITING = 128
/** Less than the time after which the gateway stops a stack that does not respond. */
const MAX_WAIT_MS = 20_000

/** The share of the limit that requests may use. */
const REQUEST_SHARE = 0.18
/** As the process grows from the first to the second share of the limit, the capacity shrinks to a single request. */
const SHRINK_FROM = 0.72
const EMPTY_AT = 0.88

/** Background work may use memory up to this share of the limit. It is `SHORT_FROM` of `commands/memory-guard.ts`. */
const BACKGROUND_SHARE = 0.85

/** Whether background work may use this many bytes more. If not, it waits. */
export const hasMemoryFor = ({ limitBytes, measureBytes }: Memory, bytes: number): boolean =>
  measureBytes() + bytes <= BACKGROUND_SHARE * limitBytes

/** A `Memory` that measures nothing: the used bytes are always zero. */
export const unwatched = (limitBytes: number): Memory => ({
  limitBytes,
  rssBytes: () => 0,
  measureBytes: () => 0,
  onSample: () => undefined,
})

/** Admits requests when there is memory for them. */
export function admitByMemory(memory: Memory): Admission {
  const admission = createAdmission({
    capacity: () => requestCapacity(memory),
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    refusal: 'The sandbox has no memory for more requests at the moment',
  })
  memory.onSample(admission.retry)
  return admission
}

/** How many bytes requests may use. It is at least one byte, so that one request is always admitted. */
export function requestCapacity({ limitBytes, rssBytes }: Pick<Memory, 'limitBytes' | 'rssBytes'>): number {
  const share = rssBytes() / limitBytes
  const left = Math.min(1, Math.max(0, (EMPTY_AT - share) / (EMPTY_AT - SHRINK_FROM)))
  return Math.max(1, Math.floor(REQUEST_SHARE * limitBytes * left))
}
