import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../embedded-postgres/index.ts'
import { silentLog } from '../log.ts'
import { removeTemporaryFolders, temporaryFolder } from './temporary-folder.ts'

/** One real PostgreSQL for the whole run. It is not crash-safe, because its data is discarded after the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = temporaryFolder('storey-test')
  chmodSync(folder, 0o711)
  const server = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    password: 'test',
    log: silentLog,
    // `max_connections` is large, because each test file has its own pools, and several files run at a time.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
  })
  project.provide('postgresUrl', server.url)
  return async () => {
    await server.stop()
    removeTemporaryFolders()
  }
}
