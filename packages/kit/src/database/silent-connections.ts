import type { Socket } from 'node:net'
import pg from 'pg'
import { createLoop } from '../background/index.ts'
import { elapsedMs } from '../clock.ts'
import type { Log } from '../log.ts'
import { openDedicatedClient } from './dedicated-client.ts'

export interface SilentConnectionsOptions {
  url: string
  applicationName: string
  log: Log
  /** How long a response may take before the server is asked about the connection. */
  silentMs?: number
  unansweredMs?: number
}

/** The connections that are taken from the pool, on which a statement may be in progress. */
export interface SilentConnections {
  /** Watches a connection. The server cancels a statement after `statementMs`. */
  watch(client: pg.PoolClient, statementMs: number): void
  release(client: pg.PoolClient): void
  /**
   * True for a connection that was opened before the last dropped connection was found: the network may have
   * dropped it as well.
   */
  mayBeDropped(client: pg.PoolClient): boolean
  opened(client: pg.PoolClient): void
  close(): void
}

interface Watched {
  bytes: number
  sinceMs: number
  statementMs: number
  /** How often the server reported that it does nothing for this connection. */
  idleReports: number
  /** How often the server was found to have exceeded the time limit of the statement. */
  overdueChecks: number
  /** Since when the server has not answered questions about the connection; undefined if it answered the last one. */
  unansweredSinceMs: number | undefined
}

/** Fields of the driver that its types lack. */
type ClientInternals = pg.PoolClient & { processID: number; readyForQuery: boolean; connection: { stream: Socket } }

const SILENT_MS = 4_000
/**
 * A connection is closed after this many idle reports. One is not enough, because a response may have been in transit
 * while the server was asked.
 */
const IDLE_REPORTS = 2
/**
 * A connection is closed after this many checks that found its statement overdue. One is not enough, because this
 * process itself may have been suspended.
 */
const OVERDUE_CHECKS = 2
/** After this time without an answer of the server, the connections that wait for it are closed. */
const UNANSWERED_MS = 60_000
/** States of pg_stat_activity in which the server may still respond. */
const BUSY_STATES = new Set(['active', 'fastpath function call', 'disabled', 'starting'])

/**
 * A network can drop a connection without notifying either end: a firewall loses its state, or a server moves. A client
 * that waits for a response on such a connection would wait for ever. So if a connection gets no response for a long
 * time, the server is asked about it on a new connection. A connection that the server does not know, or that is idle
 * there, is closed. Slow statements are not affected. A frozen server does not cancel statements at their time limit,
 * so the connections of overdue statements are closed too. A statement of a migration may take hours, so if the server
 * does not answer at all for a minute, the connections are closed without waiting for the time limit.
 */
export function watchSilentConnections(options: SilentConnectionsOptions): SilentConnections {
  const { url, applicationName, log, silentMs = SILENT_MS, unansweredMs = UNANSWERED_MS } = options
  const watched = new Map<ClientInternals, Watched>()
  const openedAtMs = new WeakMap<pg.PoolClient, number>()
  let suspectBeforeMs = Number.NEGATIVE_INFINITY
  const loop = createLoop({ name: 'silent-connections', log, run: check })
  /** Whether the periodic check runs. It stops when no connection is taken from the pool. */
  let isChecking = false

  async function check(): Promise<number | undefined> {
    isChecking = watched.size > 0
    if (!isChecking) return undefined
    const silent = [...watched].filter(([client, state]) => isSilent(client, state)).map(([client]) => client)
    closeOverdue(silent)
    const asked = silent.filter((client) => watched.has(client))
    if (asked.length > 0) {
      const stateOf = await askServer(asked.map(({ processID }) => processID)).catch((err) => {
        closeUnanswered(asked, err)
        throw err
      })
      closeDropped(asked, stateOf)
    }
    return silentMs / 2
  }

  /** An error that PostgreSQL itself reports, such as too many connections, is an answer. */
  function closeUnanswered(silent: readonly ClientInternals[], err: unknown): void {
    for (const client of silent) {
      const state = watched.get(client)
      if (!state || !isSilent(client, state)) continue
      if (err instanceof pg.DatabaseError) state.unansweredSinceMs = undefined
      else state.unansweredSinceMs ??= elapsedMs()
      if (elapsedMs() - (state.unansweredSinceMs ?? Number.POSITIVE_INFINITY) >= unansweredMs)
        close(client, state, 'database server not responding, closing the connection')
    }
  }

  function isSilent(client: ClientInternals, state: Watched): boolean {
    const bytes = bytesOf(client)
    if (client.readyForQuery || bytes !== state.bytes) Object.assign(state, startOfWait(bytes))
    return elapsedMs() - state.sinceMs >= silentMs
  }

  function closeOverdue(silent: readonly ClientInternals[]): void {
    for (const client of silent) {
      const state = watched.get(client)!
      if (elapsedMs() - state.sinceMs < state.statementMs + silentMs) continue
      if (++state.overdueChecks < OVERDUE_CHECKS) continue
      close(client, state, 'database server exceeded the time limit of a statement, closing the connection')
    }
  }

  function close(client: ClientInternals, { sinceMs }: Watched, reason: string): void {
    watched.delete(client)
    log.warn({ silentMs: Math.round(elapsedMs() - sinceMs) }, reason)
    client.connection.stream.destroy(new Error('Connection terminated: the server does not respond on it'))
  }

  function closeDropped(silent: readonly ClientInternals[], stateOf: ReadonlyMap<number, string>): void {
    for (const client of silent) {
      const state = watched.get(client)
      if (!state || !isSilent(client, state)) continue
      state.unansweredSinceMs = undefined
      state.idleReports = BUSY_STATES.has(stateOf.get(client.processID) ?? 'unknown') ? 0 : state.idleReports + 1
      if (state.idleReports < IDLE_REPORTS) continue
      suspectBeforeMs = elapsedMs()
      close(client, state, 'database connection not responding, closing it')
    }
  }

  /** The states of these server processes, by pid. A process that does not exist has no entry. */
  async function askServer(pids: readonly number[]): Promise<Map<number, string>> {
    const client = await openDedicatedClient({ url, applicationName })
    try {
      const { rows } = await client.query<{ pid: number; state: string | null; own: number }>(
        'select pid, state, pg_backend_pid() as own from pg_stat_activity where pid = any($1) or pid = pg_backend_pid()',
        [pids],
      )
      // A pooler such as PgBouncer gives its clients pids of its own, which the server does not know. The states of
      // these connections cannot be found, so all count as active.
      const isPooled = rows[0]?.own !== (client as unknown as ClientInternals).processID
      if (isPooled) return new Map(pids.map((pid) => [pid, 'active']))
      return new Map(rows.map(({ pid, state }) => [pid, state ?? 'disabled']))
    } finally {
      client.end().catch(() => undefined)
    }
  }

  return {
    watch(client, statementMs) {
      const inside = client as ClientInternals
      watched.set(inside, { ...startOfWait(bytesOf(inside)), statementMs })
      if (isChecking) return
      isChecking = true
      loop.wakeIn(silentMs / 2)
    },
    release: (client) => void watched.delete(client as ClientInternals),
    mayBeDropped: (client) => (openedAtMs.get(client) ?? suspectBeforeMs) < suspectBeforeMs,
    opened: (client) => void openedAtMs.set(client, elapsedMs()),
    close: () => void loop.stop(),
  }
}

/** The state of a connection after this many bytes, if it waits for a response from now on. */
const startOfWait = (bytes: number) => ({
  ...{ bytes, sinceMs: elapsedMs(), idleReports: 0, overdueChecks: 0 },
  unansweredSinceMs: undefined,
})

function bytesOf({ connection: { stream } }: ClientInternals): number {
  return stream.bytesRead + stream.bytesWritten
}
