import { type Entry, NEVER } from './stack-entry.ts'

/** A stack of the pool, for the operator. */
export interface ListedStack {
  sandboxId: string
  state: Entry['state']
  /** How many database connections the stack may open; 0 while it waits for connections. */
  maxConnections: number
  /** Requests, MQTT messages, and live and other connections of clients that use the stack now. */
  uses: number
  /**
   * The end of the last use by a caller, or now while the stack is in use; null: no caller has used the stack since its
   * start.
   */
  lastUsedAt: Date | null
  runsSince: Date | null
  crashes: number
  /** The time of the next due work of the stack; null: no due work is known. */
  dueAt: Date | null
}

/** Describes an entry of the pool. `now` is one moment, read from the monotonic clock and from the wall clock. */
export function describeStack(
  entry: Entry,
  maxConnections: number,
  now: { elapsedMs: number; date: Date },
): ListedStack {
  const dateOf = (elapsedMs: number) => new Date(now.date.getTime() - (now.elapsedMs - elapsedMs))
  const { sandbox, state, uses, lastCalledAt, runsSince, crashes, dueAt } = entry
  return {
    sandboxId: sandbox.id,
    ...{ state, maxConnections, uses: uses.size, crashes },
    lastUsedAt: uses.size > 0 ? now.date : lastCalledAt === NEVER ? null : dateOf(lastCalledAt),
    runsSince: state === 'running' ? dateOf(runsSince) : null,
    dueAt: dueAt ?? null,
  }
}
