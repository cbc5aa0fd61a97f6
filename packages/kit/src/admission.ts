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

export interface Admission {
  /** Resolves when the bytes are available, in the order of requests. Rejects with NOT_READY. */
  enter(bytes: number, signal?: AbortSignal): Promise<Admitted>
  /** Call it when the capacity may have grown. */
  retry(): void
  report(): { bytesInUse: number; waiting: number; refused: number }
}

interface Waiting {
  bytes: number
  admit(admitted: Admitted): void
}

/**
 * A semaphore that counts bytes. A request above the capacity is admitted alone, so that it does not wait for ever.
 */
export function createAdmission({ capacity, maxWaiting, maxWaitMs, refusal }: AdmissionOptions): Admission {
  const queue = new Set<Waiting>()
  let bytesInUse = 0
  let inside = 0
  let refused = 0

  const fits = (bytes: number) => {
    const most = capacity()
    return inside === 0 ? most > 0 : bytesInUse + bytes <= most
  }

  function admit(bytes: number): Admitted {
    let held = bytes
    let isInside = true
    bytesInUse += held
    inside++
    return {
      resize(next) {
        if (!isInside) return
        bytesInUse += next - held
        held = next
        retry()
      },
      leave() {
        if (!isInside) return
        isInside = false
        bytesInUse -= held
        inside--
        retry()
      },
    }
  }

  function retry(): void {
    for (const waiting of queue) {
      if (!fits(waiting.bytes)) return
      queue.delete(waiting)
      waiting.admit(admit(waiting.bytes))
    }
  }

  function refuse(): Error {
    refused++
    return problems.notReady(refusal, 1)
  }

  return {
    async enter(bytes, signal) {
      signal?.throwIfAborted()
      if (queue.size === 0 && fits(bytes)) return admit(bytes)
      if (queue.size >= maxWaiting) throw refuse()
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          bytes,
          admit(admitted) {
            clear()
            resolve(admitted)
          },
        }
        const leave = (err: Error) => {
          clear()
          queue.delete(waiting)
          reject(err)
          // Requests behind it may be smaller.
          retry()
        }
        const timer = setTimeout(() => leave(refuse()), maxWaitMs)
        const onAbort = () => leave(signal!.reason)
        const clear = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
        }
        signal?.addEventListener('abort', onAbort)
        queue.add(waiting)
      })
    },
    retry,
    report: () => ({ bytesInUse, waiting: queue.size, refused }),
  }
}
