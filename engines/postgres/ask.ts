import pg from 'pg'

/** Runs a statement on a connection of its own. The certificate of the server is not checked. */
export async function ask(url: string, statement: string, timeoutMs: number): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: url,
    ssl: { rejectUnauthorized: false },
    connectionTimeoutMillis: timeoutMs,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(statement)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}
