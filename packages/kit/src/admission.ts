import { problems } from '@storey/contract'
import { createFairQueue } from './fair-queue.ts'

export interface AdmissionOptions {
  /** The maximum number of bytes in use. It is read at each attempt to admit a request, because it can change. */
  capacity(): number
  /**
   * When this many requests wait and one more arrives, the last request of the caller with the most waiting requests is
   * refused.
   */
  maxWaiting: number
  /** The maximum wait before a refusal. */
  maxWaitMs: number
  /** The detail of a refusal. */
  refusal: string
}

/** A reservation of bytes. */
export interface Admitted {
  /** Changes the reservation. */
  resize(bytes: number): void
  /** Releases the bytes; a second call does nothing. */
  leave(): void
}

/** The caller of a request, and the signal that ends its wait. */
export interface Entry {
  /** Requests of one caller wait behind each other, and take turns with those of other callers. */
  caller?: string
  signal?: AbortSignal
}

export interface Admission {
  /**
   * Admits a request if no other waits, it is within its caller's share, and it fits without the reserve. Otherwise
   * returns undefined; then call `enter`, which also uses the reserve, and waits if necessary.
   */
  enterNow(bytes: number, caller?: string): Admitted | undefined
  /**
   * Resolves when the bytes are available. Rejects with NOT_READY if too many requests wait, or this one waits too
   * long.
   */
  enter(bytes: number, entry?: Entry): Promise<Admitted>
  /** Admits waiting requests that now fit. Call it when the capacity may have grown. */
  retry(): void
  report(): { bytesInUse: number; waiting: number; refused: number }
}

interface Waiting {
  caller: string
  bytes: number
  admit(admitted: Admitted): void
  refuse(): void
}

interface Budget {
  bytes: number
  requests: number
}

/**
 * A further request of a caller is admitted only if the caller then uses at most this many times the bytes that stay
 * free. So several requests of a single caller together use at most three quarters of the capacity.
 */
const TIMES_FREE = 3
/** This share of the capacity is reserved for small requests of callers that have no other request in progress. */
const RESERVE = 1 / 8
/** The share of the capacity up to which a request is small. */
const SMALL = 1 / 256

/**
 * A semaphore that counts bytes. A request above the capacity does not wait for ever: it is admitted when only requests
 * in the reserve are in progress. The more a caller uses, the more must stay free for other callers, so a caller whose
 * requests never finish cannot block the others. The reserve stays free even if several callers together use all the
 * rest.
 */
export function createAdmission({ capacity, maxWaiting, maxWaitMs, refusal }: AdmissionOptions): Admission {
  const queue = createFairQueue<Waiting>({ max: maxWaiting, onEvict: ({ refuse }) => refuse() })
  const bytesOf = new Map<string, number>()
  const general: Budget = { bytes: 0, requests: 0 }
  const reserve: Budget = { bytes: 0, requests: 0 }
  const bytesInUse = () => general.bytes + reserve.bytes
  let refused = 0

  const isSmall = (bytes: number) => capacity() > 0 && bytes <= SMALL * capacity()

  function isWithinShare({ caller, bytes }: Pick<Waiting, 'caller' | 'bytes'>): boolean {
    const own = bytesOf.get(caller) ?? 0
    return own === 0 || own + bytes <= TIMES_FREE * (capacity() - bytesInUse() - bytes)
  }

  function fits(bytes: number): boolean {
    const most = (1 - RESERVE) * capacity()
    return general.requests === 0 ? most > 0 : general.bytes + bytes <= most
  }

  const fitsReserve = ({ caller, bytes }: Waiting) =>
    isSmall(bytes) && !bytesOf.has(caller) && reserve.bytes + bytes <= RESERVE * capacity()

  function admit(caller: string, bytes: number, from: Budget): Admitted {
    let [held, budget] = [bytes, from]
    let isInside = true
    const count = (sign: 1 | -1) => {
      budget.bytes += sign * held
      budget.requests += sign
      const own = (bytesOf.get(caller) ?? 0) + sign * held
      if (own > 0) bytesOf.set(caller, own)
      else bytesOf.delete(caller)
    }
    count(1)
    return {
      resize(next) {
        if (!isInside) return
        count(-1)
        held = next
        if (!isSmall(held)) budget = general
        count(1)
        retry()
      },
      leave() {
        if (!isInside) return
        isInside = false
        count(-1)
        retry()
      },
    }
  }

  /**
   * Admits a request of each caller in turn. A request above its caller's share is passed over. If a request within the
   * share does not fit, the requests behind it wait too, so that it is not delayed for ever. Only requests that fit
   * into the reserve are still admitted, because they do not delay it.
   */
  function retry(): void {
    let isBlocked = false
    for (const caller of queue.keys()) {
      const waiting = queue.first(caller)!
      if (!isWithinShare(waiting)) continue
      const budget: Budget | undefined =
        !isBlocked && fits(waiting.bytes) ? general : fitsReserve(waiting) ? reserve : undefined
      isBlocked ||= budget === undefined
      if (budget === undefined) continue
      queue.take(caller)
      waiting.admit(admit(caller, waiting.bytes, budget))
    }
  }

  function newRefusal(): Error {
    refused++
    return problems.notReady(refusal, 1)
  }

  return {
    enterNow(bytes, caller = '') {
      if (queue.size > 0 || !isWithinShare({ caller, bytes })) return undefined
      return fits(bytes) ? admit(caller, bytes, general) : undefined
    },
    async enter(bytes, { caller = '', signal } = {}) {
      signal?.throwIfAborted()
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          caller,
          bytes,
          admit(admitted) {
            clear()
            resolve(admitted)
          },
          refuse: () => leave(newRefusal()),
        }
        const leave = (err: Error) => {
          clear()
          queue.remove(caller, waiting)
          reject(err)
          // A request behind this one may be smaller and fit.
          retry()
        }
        if (!queue.add(caller, waiting)) return reject(newRefusal())
        const timer = setTimeout(waiting.refuse, maxWaitMs)
        const onAbort = () => leave(signal!.reason)
        const clear = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
        }
        signal?.addEventListener('abort', onAbort)
        retry()
      })
    },
    retry,
    report: () => ({ bytesInUse: bytesInUse(), waiting: queue.size, refused }),
  }
}
