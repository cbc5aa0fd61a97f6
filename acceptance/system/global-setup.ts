import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeTemporaryFolders, temporaryFolder } from '@storey/kit/testing/temporary-folder'
import type { TestProject } from 'vitest/node'
import { openOperatorServer } from './operator-server.ts'
import { copyOf, startSystem } from './system.ts'

/** Starts one system for all suites that neither stop a system nor change its settings. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, ['scripts/build/build.ts'], { stdio: 'inherit' })
  const installedFolder = await install()
  const system = await startSystem({ dataDir: copyOf(installedFolder) })
  const operatorServer = await openOperatorServer()
  project.provide('system', {
    url: system.url,
    env: system.env as Record<string, string>,
    operatorUrl: operatorServer.url,
    installedFolder,
  })
  return async () => {
    await operatorServer.close()
    await system.remove()
    removeTemporaryFolders()
    // In continuous integration nobody can look into the system afterwards.
    if (process.env.CI === 'true')
      process.stdout.write(`The end of the system's log:\n${system.output().slice(-4_000)}\n`)
  }
}

/**
 * The data folder of a system that was started and stopped once. With these settings its database survives a crash of
 * the processes, but not of the machine. That is enough, because its data is discarded after the run.
 */
async function install(): Promise<string> {
  const dataDir = temporaryFolder('storey-installed')
  const system = await startSystem({ dataDir })
  await system.stop()
  appendFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'fsync = off\nfull_page_writes = off\n')
  return dataDir
}
