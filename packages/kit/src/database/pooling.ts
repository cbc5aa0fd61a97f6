import pg from 'pg'

const ANSWER_LIMIT_MS = 5_000

/**
 * Whether a client keeps its server connection between transactions. Behind a pooler such as PgBouncer in transaction
 * mode it does not, so session locks and settings are lost, or belong to another client.
 */
export async function keepsSessions(url: string, applicationName: string): Promise<boolean> {
  const limits = { connectionTimeoutMillis: ANSWER_LIMIT_MS, query_timeout: ANSWER_LIMIT_MS }
  const open = () => new pg.Client({ connectionString: url, application_name: applicationName, ...limits })
  const [first, second] = [open(), open()]
  for (const client of [first, second]) client.on('error', () => undefined)
  try {
    await first.connect()
    await second.connect()
    const own = await backendPid(first)
    // A pooler that uses its server connections in turn gives the second query another connection.
    if ((await backendPid(first)) !== own) return false
    // A pooler that prefers the most recently used connection gives it to the next client.
    await second.query('begin')
    if ((await backendPid(second)) === own) return false
    return (await backendPid(first)) === own
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)))
  }
}

async function backendPid(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid
}
