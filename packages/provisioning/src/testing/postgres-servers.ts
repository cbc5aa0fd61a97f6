import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'

/** Starts further PostgreSQL servers. They are not crash-safe, because their data is discarded. */
export async function startServers(count: number): Promise<EmbeddedPostgres[]> {
  const folder = temporaryFolder('storey-servers')
  chmodSync(folder, 0o711)
  const settings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_connections: '60' }
  return await Promise.all(
    Array.from({ length: count }, (_, i) =>
      startEmbeddedPostgres({ folder: join(folder, `server${i}`), password: 'secret', log: silentLog, settings }),
    ),
  )
}
