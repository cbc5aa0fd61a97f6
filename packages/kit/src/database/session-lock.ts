import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../log.ts'

export interface SessionLockOptions {
  url: string
  key: number
  applicationName: string
  log: Log
  /** Gives up waiting. */
  signal?: AbortSignal | undefined
  /** Somebody else holds it: called once, before the wait. */
  onWait(): void
  /** It was lost, and somebody else holds it now. */
  onLost(): void
  /** How long one that had to wait does nothing yet: the one before may need so long to notice. */
  pauseMs?: number
}

export interface SessionLock {
  /** False while the connection is broken, and for good once somebody else has it. */
  isHeld(): boolean
  release(): Promise<void>
}

const LOOK_EVERY_MS = 1_000
/** Whoever holds the lock knows within so long that its connection is dead. */
const ANSWER_LIMIT_MS = 4_000
const PAUSE_MS = 8_000

/**
 * A lock that a connection of its own holds: PostgreSQL lets go of it when that connection breaks, and then at the latest
 * the holder stops. A connection that broke is opened again, since a server that was restarted has forgotten the lock.
 */
export async function takeSessionLock(options: SessionLockOptions): Promise<SessionLock> {
  const { key, log, signal } = options
  let client: pg.Client | undefined
  let released = false
  let timer: NodeJS.Timeout | undefined
  /** The server's process of the connection that held it last. */
  let ownPid: number | undefined

  /** Undefined: somebody else has it. */
  async function tryTake(): Promise<pg.Client | undefined> {
    const opened = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: ANSWER_LIMIT_MS,
      query_timeout: ANSWER_LIMIT_MS,
      keepAlive: true,
    })
    opened.on('error', () => undefined)
    try {
      await opened.connect()
      // The server lets go of the lock soon when this machine is gone without a word.
      await opened.query('set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3')
      const { rows } = await opened.query('select pg_try_advisory_lock($1) as mine', [key])
      if (rows[0].mine) return opened
      await endOwn(opened)
    } catch (err) {
      await opened.end().catch(() => undefined)
      throw err
    }
    await opened.end().catch(() => undefined)
    return undefined
  }

  /** A server that was frozen may still have the connection that broke here: nobody else has the lock then. */
  async function endOwn(opened: pg.Client): Promise<void> {
    if (ownPid === undefined) return
    const { rows } = await opened.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1
        and database = (select oid from pg_database where datname = current_database()) and granted and pid = $2`,
      [key, ownPid],
    )
    if (rows.length > 0) throw new Error('the lock is held by a connection of our own, which ends')
  }

  function hold(taken: pg.Client): void {
    client = taken
    ownPid = (taken as { processID?: number }).processID
    const onBroken = () => void lost(taken)
    taken.once('end', onBroken).once('error', onBroken)
    let isAsking = false
    const ask = async () => {
      if (isAsking) return
      isAsking = true
      await taken.query('select 1').catch(onBroken)
      isAsking = false
    }
    timer = setInterval(() => void ask(), LOOK_EVERY_MS).unref()
  }

  async function lost(broken: pg.Client): Promise<void> {
    if (client !== broken) return
    client = undefined
    clearInterval(timer)
    broken.end().catch(() => undefined)
    if (released) return
    log.warn('connection of the lock broke, nothing is done until it is taken again')
    while (!released) {
      const taken = await tryTake().catch(() => 'away' as const)
      if (taken === undefined) return options.onLost()
      if (taken === 'away') await sleep(LOOK_EVERY_MS / 2)
      else if (released) return void taken.end().catch(() => undefined)
      else {
        log.info('lock taken again')
        return hold(taken)
      }
    }
  }

  let taken = await tryTake()
  if (!taken) {
    options.onWait()
    while (!taken) {
      await sleep(LOOK_EVERY_MS, undefined, { ...(signal ? { signal } : {}) })
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
