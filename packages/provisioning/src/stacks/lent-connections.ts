import type { StackPool } from './stack-pool.ts'
import type { RunningStack } from './stack-runtime.ts'

export interface LentConnectionsOptions {
  stacks: Pick<StackPool, 'stopUnresponsive'>
  /** How long a stack may be silent while it serves connections. */
  silenceLimitMs: number
}

/** The connections that a stack serves. */
interface Lent {
  sandboxId: string
  count: number
  /** The time of the stack's last report. A stack that serves connections reports every 250 ms. */
  reportedAt: number
}

/** Limits the memory of a stack, because each connection can keep a request body in it. */
const MAX_PER_STACK = 64
const SILENCE_CHECK_MS = 5_000

/**
 * The client connections that are lent to stacks. A stack that serves such connections, and does not report in time, is
 * stopped.
 */
export function createLentConnections({ stacks, silenceLimitMs }: LentConnectionsOptions) {
  const lent = new Map<RunningStack, Lent>()

  const watching = setInterval(
    () => {
      for (const [stack, { sandboxId, reportedAt }] of lent) {
        if (performance.now() - reportedAt > silenceLimitMs) stacks.stopUnresponsive(sandboxId, stack)
      }
    },
    Math.min(SILENCE_CHECK_MS, silenceLimitMs / 2),
  ).unref()

  return {
    hasCapacity: (stack: RunningStack): boolean => (lent.get(stack)?.count ?? 0) < MAX_PER_STACK,
    /** Counts a connection, until the returned function is called. */
    lend(stack: RunningStack, sandboxId: string): () => void {
      const here = lent.get(stack) ?? { sandboxId, count: 0, reportedAt: performance.now() }
      lent.set(stack, here)
      here.count++
      return () => {
        here.count--
        if (here.count === 0) lent.delete(stack)
      }
    },
    /** Call this at every report of the stack. */
    noteReport(stack: RunningStack): void {
      const here = lent.get(stack)
      if (here) here.reportedAt = performance.now()
    },
    /** Requests the return of all connections. */
    close(): void {
      clearInterval(watching)
      for (const stack of lent.keys()) stack.directIngest?.returnAll()
    },
  }
}
