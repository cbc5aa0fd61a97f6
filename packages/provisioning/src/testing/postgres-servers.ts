import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'

const FAST = { fsync: 'off', full_page_writes: 'off' }

/** Starts further PostgreSQL servers. By default they are not crash-safe, because their data is discarded. */
export async function startServers(
  count: number,
  durability: Record<string, string> = FAST,
): Promise<EmbeddedPostgres[]> {
  const folder = temporaryFolder('storey-servers')
  chmodSync(folder, 0o711)
  const settings = { ...durability, shared_buffers: '32MB', max_connections: '60' }
  return await Promise.all(
    Array.from({ length: count }, (_, i) =>
      startEmbeddedPostgres({ folder: join(folder, `server${i}`), password: 'secret', log: silentLog, settings }),
    ),
  )
}
