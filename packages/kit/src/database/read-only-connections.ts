import type pg from 'pg'
import { elapsedMs } from '../clock.ts'

export interface ReadOnlyConnections {
  opened(client: pg.ClientBase): void
  /** Called when a connection has refused a write because it is read-only. */
  refused(): void
  /** True for a connection that was opened before a refusal, and may be read-only too. */
  maybeReadOnly(client: pg.ClientBase): boolean
}

/** Several refusals within this time replace the connections only once. */
const EVERY_MS = 1_000

/**
 * A connection that was opened while its database or role was read-only stays read-only, even after an operator has
 * made the database writable again. So a refused write replaces all connections that were opened before it.
 */
export function watchReadOnlyConnections(): ReadOnlyConnections {
  const openedAtMs = new WeakMap<pg.ClientBase, number>()
  let suspectBeforeMs = Number.NEGATIVE_INFINITY
  return {
    opened: (client) => void openedAtMs.set(client, elapsedMs()),
    refused() {
      if (elapsedMs() - suspectBeforeMs >= EVERY_MS) suspectBeforeMs = elapsedMs()
    },
    maybeReadOnly: (client) => (openedAtMs.get(client) ?? 0) < suspectBeforeMs,
  }
}
