import { problems } from '@storey/contract'
import { createFairQueue } from '@storey/kit/fair-queue'

export interface StackCapacityOptions {
  /** How many PostgreSQL connections all stacks together may have. */
  connections(): number
  /** How many processes each stack has. */
  replicas?: number
  /** Whether the maximum number of stacks runs, so that a new one has to wait even if connections are free. */
  isFull?(): boolean
  /**
   * Stops a stack to make room for a stack of this owner. The promise resolves when the stopped stack has ended.
   * Returns undefined if no stack can be stopped. `coming` is how many stacks are already being stopped for this owner.
   */
  stopOne(owner: string, coming: number): Promise<void> | undefined
  /** Whether a request with a valid credential waits for a stack of this owner. Such owners are served first. */
  isVerified(owner: string): boolean
  /** How long a stack waits for capacity. */
  waitMs?: number
}

/** A sandbox and its owner, an organization. */
export interface OwnedSandbox {
  id: string
  organizationId: string
  /** The database server of the sandbox; absent: that of the control database. */
  serverId?: string | null
}

/**
 * The connections of each process of a stack: five for requests and background work, one for the thread that folds
 * observations.
 */
export const FULL_SHARE = 6
/**
 * The connections of each process of a new stack if, with `FULL_SHARE` for that stack, all stacks together would have
 * more than half of all connections.
 */
export const MIN_SHARE = 3

const WAIT_MS = 12_000
const CHECK_EVERY_MS = 250
const RETRY_S = 3

export const noCapacity = (): Error =>
  problems.notReady('Too many sandboxes are running: try again in a moment', RETRY_S)

interface Waiter {
  admit(share: number): void
}

interface Holder {
  owner: string
  share: number
}

/**
 * Distributes PostgreSQL connections among stacks, because a stack without connections cannot handle requests. If too
 * few connections are free, a new stack waits until another stack ends, and a stack that is not needed now is stopped.
 * Owners for which a request with a valid credential waits come before all others. In each of these two groups, the
 * owner with the fewest stacks is first. Among owners with equally many stacks, an owner for which a stack is being
 * stopped is first, and the others take turns.
 */
export function createStackCapacity(options: StackCapacityOptions) {
  const { connections, isFull, stopOne, isVerified, waitMs = WAIT_MS, replicas = 1 } = options
  const holders = new Map<string, Holder>()
  const queue = createFairQueue<Waiter>()
  let used = 0
  /** The owners for which a stack is being stopped, once for each stack. */
  const stopping: string[] = []
  let timer: NodeJS.Timeout | undefined

  function freeShare(): number | undefined {
    if (isFull?.()) return undefined
    if (used + FULL_SHARE * replicas <= connections() / 2) return FULL_SHARE
    return used + MIN_SHARE * replicas <= connections() ? MIN_SHARE : undefined
  }

  function take({ id, organizationId: owner }: OwnedSandbox, share: number): number {
    holders.set(id, { owner, share })
    used += share * replicas
    return share
  }

  /**
   * The owners with waiting stacks: if `isOfCaller`, those for which a request with a valid credential waits, otherwise
   * all others. The owner with the fewest stacks comes first. Among equals, an owner for which a stack is being stopped
   * comes first, because the freed capacity can come from another stack of that owner.
   */
  function waitingOwners(isOfCaller: boolean): { owner: string; held: number; coming: number }[] {
    const held = (owner: string) => [...holders.values()].filter((holder) => holder.owner === owner).length
    const coming = (owner: string) => stopping.filter((other) => other === owner).length
    return [...queue.keys()]
      .filter((owner) => isVerified(owner) === isOfCaller)
      .map((owner) => ({ owner, held: held(owner), coming: coming(owner) }))
      .sort((a, b) => a.held - b.held || Math.sign(b.coming) - Math.sign(a.coming))
  }

  /**
   * Stops a stack for the first owner for which one can be stopped. Owners for which a caller waits come first: no
   * stack is stopped for any other owner while they wait for more stacks than are being stopped.
   */
  function stopNext(): boolean {
    const verified = waitingOwners(true)
    const areServed = stopping.length >= verified.reduce((sum, { owner }) => sum + queue.countOf(owner), 0)
    const owners = areServed ? waitingOwners(false) : verified
    for (const { owner, coming } of owners.sort((a, b) => a.held + a.coming - b.held - b.coming)) {
      const stopped = coming < queue.countOf(owner) ? stopOne(owner, coming) : undefined
      if (stopped === undefined) continue
      stopping.push(owner)
      stopped
        .catch(() => undefined)
        .finally(() => {
          stopping.splice(stopping.indexOf(owner), 1)
          serve()
        })
      return true
    }
    return false
  }

  function serve(): void {
    for (let share = freeShare(); share !== undefined && queue.size > 0; share = freeShare()) {
      const [next] = [...waitingOwners(true), ...waitingOwners(false)]
      queue.take(next!.owner)!.admit(share)
    }
    while (stopping.length < queue.size) if (!stopNext()) break
    if (queue.size > 0) timer ??= setInterval(serve, CHECK_EVERY_MS).unref()
    else {
      clearInterval(timer)
      timer = undefined
    }
  }

  return {
    /**
     * Resolves with the number of connections that each process of the stack may open. Rejects with a problem after the
     * maximum wait, and with the signal's reason when the signal is aborted.
     */
    async acquire(sandbox: OwnedSandbox, signal?: AbortSignal): Promise<number> {
      signal?.throwIfAborted()
      const present = holders.get(sandbox.id)
      if (present !== undefined) return present.share
      const free = queue.size === 0 ? freeShare() : undefined
      if (free !== undefined) return take(sandbox, free)
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const waiter: Waiter = { admit: (share) => resolve(take(sandbox, share)) }
      const refuse = (err: Error) => {
        queue.remove(sandbox.organizationId, waiter)
        reject(err)
      }
      const limit = setTimeout(() => refuse(noCapacity()), waitMs).unref()
      const onAbort = () => refuse(signal!.reason)
      signal?.addEventListener('abort', onAbort)
      queue.add(sandbox.organizationId, waiter)
      serve()
      return await promise.finally(() => {
        clearTimeout(limit)
        signal?.removeEventListener('abort', onAbort)
      })
    },
    /** Frees the connections of a stack that has ended. */
    release(sandboxId: string): void {
      used -= (holders.get(sandboxId)?.share ?? 0) * replicas
      holders.delete(sandboxId)
      serve()
    },
    /** The number of connections of a stack; 0 while the stack waits for connections. */
    shareOf: (sandboxId: string): number => (holders.get(sandboxId)?.share ?? 0) * replicas,
    /** Whether a new stack would get its connections without waiting. */
    isFree: (): boolean => queue.size === 0 && freeShare() !== undefined,
    /** Call this when a stack may no longer be needed, or when a credential was found to be valid. */
    recheck(): void {
      if (queue.size > 0) serve()
    },
    /** How many stacks have connections. */
    size: (): number => holders.size,
    state: () => ({ connections: connections(), used, waiting: queue.size }),
  }
}

export type StackCapacity = ReturnType<typeof createStackCapacity>
