import pg from 'pg'
import { setLimits, TIME_LIMITS } from './time-limits.ts'

/** If the server does not respond within this time, the connection counts as broken. */
const ANSWER_LIMIT_MS = TIME_LIMITS.dedicated.statementMs

/**
 * Lets the server notice within 20 seconds that the machine of a client has failed. The server then releases the locks
 * of the client's session.
 */
export const NOTICE_FAILURES =
  'set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'

/** Opens a connection outside of every pool, for one purpose such as holding a lock. */
export async function openDedicatedClient(options: { url: string; applicationName: string }): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: ANSWER_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
    keepAlive: true,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`${setLimits(TIME_LIMITS.dedicated)}; ${NOTICE_FAILURES}`)
    return client
  } catch (err) {
    client.end().catch(() => undefined)
    throw err
  }
}

/**
 * Calls `onBroken`, perhaps several times, when the connection breaks or the server no longer responds on it. Returns
 * the timer of the checks, which does not keep the process alive.
 */
export function watchConnection(client: pg.Client, everyMs: number, onBroken: () => void): NodeJS.Timeout {
  client.once('end', onBroken).once('error', onBroken)
  let isAsking = false
  const ask = async () => {
    if (isAsking) return
    isAsking = true
    await client.query('select 1').catch(onBroken)
    isAsking = false
  }
  return setInterval(() => void ask(), everyMs).unref()
}
