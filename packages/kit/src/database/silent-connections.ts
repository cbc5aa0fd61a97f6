import type { Socket } from 'node:net'
import pg from 'pg'
import { elapsedMs } from '../clock.ts'
import type { Log } from '../log.ts'

export interface SilentConnectionsOptions {
  url: string
  applicationName: string
  log: Log
  /** How long an answer may take before the server is asked about it. */
  silentMs?: number
}

/** Connections on which work is under way. */
export interface SilentConnections {
  watch(client: pg.PoolClient): void
  release(client: pg.PoolClient): void
  /** Opened before one was found that leads nowhere: it may lead nowhere too. */
  isDoubtful(client: pg.PoolClient): boolean
  opened(client: pg.PoolClient): void
  close(): void
}

interface Watched {
  bytes: number
  sinceMs: number
  /** How often the server has said that it does nothing for it. */
  doubts: number
}

/** What the driver knows beside its types. */
type Inside = pg.PoolClient & { processID: number; readyForQuery: boolean; connection: { stream: Socket } }

const SILENT_MS = 4_000
const ANSWER_LIMIT_MS = 5_000
/** An answer may have been on its way while the server was asked. */
const DOUBTS = 2
const AT_WORK = new Set(['active', 'fastpath function call', 'disabled', 'starting'])

/**
 * A network can lose a connection without a word to either end: a firewall forgets it, a server moves. Whoever waits for
 * an answer on it waits for ever. So the server is asked, on a new connection, about those that are silent for long; one
 * for which it does nothing, or that it does not know, is cut off. A statement that takes its time is left alone, and so
 * is everything while the server does not answer at all.
 */
export function watchSilentConnections(options: SilentConnectionsOptions): SilentConnections {
  const { url, applicationName, log, silentMs = SILENT_MS } = options
  const watched = new Map<Inside, Watched>()
  const openedAtMs = new WeakMap<pg.PoolClient, number>()
  let doubtfulUntilMs = Number.NEGATIVE_INFINITY
  let isAsking = false
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const silent = [...watched].filter(([client, state]) => isSilent(client, state)).map(([client]) => client)
    if (silent.length === 0 || isAsking) return
    isAsking = true
    try {
      judge(silent, await askServer(silent.map(({ processID }) => processID)))
    } catch (err) {
      log.debug({ err }, 'the database server could not be asked about a connection')
    } finally {
      isAsking = false
    }
  }

  function isSilent(client: Inside, state: Watched): boolean {
    const bytes = bytesOf(client)
    if (client.readyForQuery || bytes !== state.bytes) Object.assign(state, { bytes, sinceMs: elapsedMs(), doubts: 0 })
    return elapsedMs() - state.sinceMs >= silentMs
  }

  function judge(silent: readonly Inside[], stateOf: ReadonlyMap<number, string>): void {
    for (const client of silent) {
      const state = watched.get(client)
      if (!state || !isSilent(client, state)) continue
      state.doubts = AT_WORK.has(stateOf.get(client.processID) ?? 'unknown') ? 0 : state.doubts + 1
      if (state.doubts < DOUBTS) continue
      doubtfulUntilMs = elapsedMs()
      log.warn({ silentMs: Math.round(elapsedMs() - state.sinceMs) }, 'a database connection leads nowhere, cut off')
      client.connection.stream.destroy(new Error('Connection terminated: the server does nothing for it'))
    }
  }

  /** What the server does for each of its processes that it knows. */
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
      // A pooler such as PgBouncer stands in between and gives numbers of its own: nothing can be told by them.
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
      watched.set(inside, { bytes: bytesOf(inside), sinceMs: elapsedMs(), doubts: 0 })
      timer ??= setInterval(look, silentMs / 2).unref()
    },
    release: (client) => void watched.delete(client as Inside),
    isDoubtful: (client) => (openedAtMs.get(client) ?? doubtfulUntilMs) < doubtfulUntilMs,
    opened: (client) => void openedAtMs.set(client, elapsedMs()),
    close: () => clearInterval(timer),
  }
}

function bytesOf({ connection: { stream } }: Inside): number {
  return stream.bytesRead + stream.bytesWritten
}
