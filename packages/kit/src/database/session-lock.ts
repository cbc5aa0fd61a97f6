import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../log.ts'
import { openDedicatedClient, watchConnection } from './dedicated-client.ts'

export interface SessionLockOptions {
  url: string
  key: number
  /** Several processes may hold the lock at once, unless one holds it exclusively. */
  isShared?: boolean
  applicationName: string
  log: Log
  /** Aborts the wait. */
  signal?: AbortSignal | undefined
  /** Called once, if another process holds the lock and this one has to wait. */
  onWait(): void
  /** Called when the lock was lost to another holder. */
  onLost(): void
  /** The pause after a wait: the previous holder may need this long to notice that it lost the lock. */
  pauseMs?: number
}

/** The PostgreSQL process of a connection. Its pid can be reused, but not with the same start time. */
export interface Backend {
  pid: number
  startedAt: string
}

export interface SessionLock {
  /** False while the connection is broken, and for ever after another process has taken the lock. */
  isHeld(): boolean
  release(): Promise<void>
}

const CHECK_EVERY_MS = 1_000
const PAUSE_MS = 8_000

/**
 * A lock held by a dedicated connection: PostgreSQL releases it when the connection breaks, and the holder must not
 * work while `isHeld` is false. After a break, for example at a restart of the server, new connections are opened until
 * the lock is held again or another process has taken it.
 */
export async function takeSessionLock(options: SessionLockOptions): Promise<SessionLock> {
  const { key, log, signal } = options
  let client: pg.Client | undefined
  let released = false
  let timer: NodeJS.Timeout | undefined
  /** Our last connection that held the lock. */
  let own: Backend | undefined

  /** Tries to take the lock on a new connection. Returns undefined if another process holds the lock. */
  async function tryTake(): Promise<pg.Client | undefined> {
    const opened = await openDedicatedClient(options)
    try {
      const tryLock = options.isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
      const { rows } = await opened.query(`select ${tryLock}($1) as mine`, [key])
      if (rows[0].mine) {
        own = await backendOf(opened)
        return opened
      }
      if (own && (await endBackend(opened, key, own))) {
        throw new Error('the lock is held by our own broken connection, which is being terminated')
      }
    } catch (err) {
      await opened.end().catch(() => undefined)
      throw err
    }
    await opened.end().catch(() => undefined)
    return undefined
  }

  function hold(taken: pg.Client): void {
    client = taken
    timer = watchConnection(taken, CHECK_EVERY_MS, () => void lost(taken))
  }

  async function lost(broken: pg.Client): Promise<void> {
    if (client !== broken) return
    client = undefined
    clearInterval(timer)
    broken.end().catch(() => undefined)
    if (released) return
    log.warn('session lock lost, no work until it is reacquired')
    while (!released) {
      const taken = await tryTake().catch(() => 'away' as const)
      if (taken === undefined) return options.onLost()
      if (taken === 'away') await sleep(CHECK_EVERY_MS / 2)
      else if (released) return void taken.end().catch(() => undefined)
      else {
        log.info('session lock reacquired')
        return hold(taken)
      }
    }
  }

  let taken = await tryTake()
  if (!taken) {
    options.onWait()
    while (!taken) {
      await sleep(CHECK_EVERY_MS, undefined, { ...(signal ? { signal } : {}) })
      taken = await tryTake().catch(() => undefined)
    }
    hold(taken)
    await sleep(options.pauseMs ?? PAUSE_MS, undefined, { ...(signal ? { signal } : {}) }).catch(async (err) => {
      released = true
      await client?.end().catch(() => undefined)
      throw err
    })
  } else hold(taken)

  return {
    isHeld: () => client !== undefined,
    async release() {
      released = true
      clearInterval(timer)
      await client?.end().catch(() => undefined)
    },
  }
}

export async function backendOf(client: pg.Client): Promise<Backend> {
  const { rows } = await client.query(
    `select pid, extract(epoch from backend_start)::text as "startedAt" from pg_stat_activity where pid = pg_backend_pid()`,
  )
  return rows[0]
}

/**
 * Terminates our own broken connection if the server keeps it open and it still holds the lock. Returns whether there
 * was such a connection.
 */
export async function endBackend(client: pg.Client, key: number, { pid, startedAt }: Backend): Promise<boolean> {
  const { rows } = await client.query(
    `select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.classid = 0 and l.objid = $1 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())
        and l.pid = $2 and extract(epoch from a.backend_start)::text = $3`,
    [key, pid, startedAt],
  )
  return rows.length > 0
}
