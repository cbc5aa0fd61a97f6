import type { Socket } from 'node:net'
import pg from 'pg'
import { createLoop } from '../background/index.ts'
import { elapsedMs } from '../clock.ts'
import type { Log } from '../log.ts'

export interface SilentConnectionsOptions {
  url: string
  applicationName: string
  log: Log
  /** How long a response may take before the server is asked about the connection. */
  silentMs?: number
}

/** Connections with a statement in progress. */
export interface SilentConnections {
  watch(client: pg.PoolClient): void
  release(client: pg.PoolClient): void
  /** Opened before a dropped connection was found, so it may be dropped too. */
  mayBeDropped(client: pg.PoolClient): boolean
  opened(client: pg.PoolClient): void
  close(): void
}

interface Watched {
  bytes: number
  sinceMs: number
  /** How often the server reported that it does nothing for this connection. */
  idleReports: number
}

/** Fields of the driver that its types lack. */
type Inside = pg.PoolClient & { processID: number; readyForQuery: boolean; connection: { stream: Socket } }

const SILENT_MS = 4_000
const ANSWER_LIMIT_MS = 5_000
/** More than one, because a response may have been in transit while the server was asked. */
const IDLE_REPORTS = 2
const AT_WORK = new Set(['active', 'fastpath function call', 'disabled', 'starting'])

/**
 * A network can drop a connection without notifying either end: a firewall loses its state, or a server moves. A client that
 * waits for a response on it would wait for ever. So if a connection gets no response for long, a new connection asks
 * the server about it. A connection that the server does not know, or that is idle there, is closed. Slow statements are not
 * affected, and nothing is closed while the server does not respond at all.
 */
export function watchSilentConnections(options: SilentConnectionsOptions): SilentConnections {
  const { url, applicationName, log, silentMs = SILENT_MS } = options
  const watched = new Map<Inside, Watched>()
  const openedAtMs = new WeakMap<pg.PoolClient, number>()
  let suspectBeforeMs = Number.NEGATIVE_INFINITY
  const loop = createLoop({ name: 'silent-connections', log, run: check, everyMs: silentMs / 2 })
  loop.start(silentMs / 2)

  async function check(): Promise<void> {
    const silent = [...watched].filter(([client, state]) => isSilent(client, state)).map(([client]) => client)
    if (silent.length > 0) closeDropped(silent, await askServer(silent.map(({ processID }) => processID)))
  }

  function isSilent(client: Inside, state: Watched): boolean {
    const bytes = bytesOf(client)
    if (client.readyForQuery || bytes !== state.bytes)
      Object.assign(state, { bytes, sinceMs: elapsedMs(), idleReports: 0 })
    return elapsedMs() - state.sinceMs >= silentMs
  }

  function closeDropped(silent: readonly Inside[], stateOf: ReadonlyMap<number, string>): void {
    for (const client of silent) {
      const state = watched.get(client)
      if (!state || !isSilent(client, state)) continue
      state.idleReports = AT_WORK.has(stateOf.get(client.processID) ?? 'unknown') ? 0 : state.idleReports + 1
      if (state.idleReports < IDLE_REPORTS) continue
      suspectBeforeMs = elapsedMs()
      log.warn({ silentMs: Math.round(elapsedMs() - state.sinceMs) }, 'database connection not responding, closing it')
      client.connection.stream.destroy(new Error('Connection terminated: the server does nothing for it'))
    }
  }

  /** The state of each server process that exists. */
  async function askServer(pids: readonly number[]): Promise<Map<number, string>> {
    const limits = { connectionTimeoutMillis: ANSWER_LIMIT_MS, query_timeout: ANSWER_LIMIT_MS }
    const client = new pg.Client({ connectionString: url, application_name: applicationName, ...limits })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ pid: number; state: string | null; own: number }>(
        'select pid, state, pg_backend_pid() as own from pg_stat_activity where pid = any($1) or pid = pg_backend_pid()',
        [pids],
      )
      // A pooler such as PgBouncer reports its own pids, not those of the server.
      const isPooled = rows[0]?.own !== (client as unknown as Inside).processID
      if (isPooled) return new Map(pids.map((pid) => [pid, 'active']))
      return new Map(rows.map(({ pid, state }) => [pid, state ?? 'disabled']))
    } finally {
      client.end().catch(() => undefined)
    }
  }

  return {
    watch(client) {
      const inside = client as Inside
      watched.set(inside, { bytes: bytesOf(inside), sinceMs: elapsedMs(), idleReports: 0 })
    },
    release: (client) => void watched.delete(client as Inside),
    mayBeDropped: (client) => (openedAtMs.get(client) ?? suspectBeforeMs) < suspectBeforeMs,
    opened: (client) => void openedAtMs.set(client, elapsedMs()),
    close: () => void loop.stop(),
  }
}

function bytesOf({ connection: { stream } }: Inside): number {
  return stream.bytesRead + stream.bytesWritten
}
