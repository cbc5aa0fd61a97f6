import { problems } from '@storey/contract'

export interface AdmissionOptions {
  /** The maximum number of bytes in use. Read at each attempt, because it may change. */
  capacity(): number
  /** With this many waiting, further requests are refused immediately. */
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

/** Who asks, and until when. */
export interface Entry {
  /** Requests of one caller wait behind each other, and take turns with those of other callers. */
  caller?: string
  signal?: AbortSignal
}

export interface Admission {
  /** Resolves when the bytes are available. Rejects with NOT_READY. */
  enter(bytes: number, entry?: Entry): Promise<Admitted>
  /** Call it when the capacity may have grown. */
  retry(): void
  report(): { bytesInUse: number; waiting: number; refused: number }
}

interface Waiting {
  bytes: number
  admit(admitted: Admitted): void
  refuse(): void
}

/** A caller may use up to this many times the free capacity: a single caller can use three quarters. */
const TIMES_FREE = 3

/**
 * A semaphore that counts bytes. A request above the capacity is admitted alone, so that it does not wait for ever. The
 * more a caller uses, the more it leaves free for others, even if it never finishes.
 */
export function createAdmission({ capacity, maxWaiting, maxWaitMs, refusal }: AdmissionOptions): Admission {
  /** The waiting requests of each caller, in the order of turns. */
  const queues = new Map<string, Set<Waiting>>()
  const bytesOf = new Map<string, number>()
  let bytesInUse = 0
  let inside = 0
  let waitingCount = 0
  let refused = 0

  const fits = (bytes: number) => {
    const most = capacity()
    return inside === 0 ? most > 0 : bytesInUse + bytes <= most
  }

  function isWithinShare(caller: string, bytes: number): boolean {
    const own = bytesOf.get(caller) ?? 0
    return own === 0 || own + bytes <= TIMES_FREE * (capacity() - bytesInUse - bytes)
  }

  function use(caller: string, bytes: number): void {
    bytesInUse += bytes
    const own = (bytesOf.get(caller) ?? 0) + bytes
    if (own > 0) bytesOf.set(caller, own)
    else bytesOf.delete(caller)
  }

  function admit(caller: string, bytes: number): Admitted {
    let held = bytes
    let isInside = true
    use(caller, held)
    inside++
    return {
      resize(next) {
        if (!isInside) return
        use(caller, next - held)
        held = next
        retry()
      },
      leave() {
        if (!isInside) return
        isInside = false
        use(caller, -held)
        inside--
        retry()
      },
    }
  }

  /** Admits a request of each caller in turn. If one does not fit, the others wait too, so that it is not delayed for ever. */
  function retry(): void {
    for (const [caller, queue] of queues) {
      const [waiting] = queue
      if (waiting === undefined || !isWithinShare(caller, waiting.bytes)) continue
      if (!fits(waiting.bytes)) return
      remove(caller, waiting)
      // The next turn is after those of all others.
      if (queues.delete(caller)) queues.set(caller, queue)
      waiting.admit(admit(caller, waiting.bytes))
    }
  }

  function add(caller: string, waiting: Waiting): void {
    queues.set(caller, (queues.get(caller) ?? new Set()).add(waiting))
    waitingCount++
  }

  function remove(caller: string, waiting: Waiting): void {
    const queue = queues.get(caller)
    if (!queue?.delete(waiting)) return
    waitingCount--
    if (queue.size === 0) queues.delete(caller)
  }

  /** Refuses the last request of the caller with the most; false if that is the given one. */
  function makeRoom(caller: string): boolean {
    let longest = queues.get(caller) ?? new Set<Waiting>()
    for (const queue of queues.values()) if (queue.size > longest.size + 1) longest = queue
    if (longest === queues.get(caller)) return false
    const last = [...longest].at(-1)
    last?.refuse()
    return last !== undefined
  }

  function newRefusal(): Error {
    refused++
    return problems.notReady(refusal, 1)
  }

  return {
    async enter(bytes, { caller = '', signal } = {}) {
      signal?.throwIfAborted()
      if (waitingCount >= maxWaiting && !makeRoom(caller)) throw newRefusal()
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          bytes,
          admit(admitted) {
            clear()
            resolve(admitted)
          },
          refuse: () => leave(newRefusal()),
        }
        const leave = (err: Error) => {
          clear()
          remove(caller, waiting)
          reject(err)
          // Requests behind it may be smaller.
          retry()
        }
        const timer = setTimeout(waiting.refuse, maxWaitMs)
        const onAbort = () => leave(signal!.reason)
        const clear = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
        }
        signal?.addEventListener('abort', onAbort)
        add(caller, waiting)
        retry()
      })
    },
    retry,
    report: () => ({ bytesInUse, waiting: waitingCount, refused }),
  }
}
