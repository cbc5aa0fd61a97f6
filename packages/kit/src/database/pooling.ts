import type pg from 'pg'
import { openDedicatedClient } from './dedicated-client.ts'

/**
 * Whether a client keeps its server connection between transactions. Behind a pooler such as PgBouncer in transaction
 * mode it does not, so session locks and settings are lost, or belong to another client.
 */
export async function keepsSessions(url: string, applicationName: string): Promise<boolean> {
  const clients: pg.Client[] = []
  const open = async () => {
    const client = await openDedicatedClient({ url, applicationName })
    clients.push(client)
    return client
  }
  try {
    const first = await open()
    const second = await open()
    const own = await backendPid(first)
    // A pooler that uses its server connections in turn gives the second query another connection.
    if ((await backendPid(first)) !== own) return false
    // A pooler that prefers the most recently used connection gives it to the next client.
    await second.query('begin')
    if ((await backendPid(second)) === own) return false
    return (await backendPid(first)) === own
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

async function backendPid(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid
}
