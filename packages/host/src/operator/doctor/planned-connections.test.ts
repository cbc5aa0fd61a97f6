import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { expect, it } from 'vitest'
import { readSettings } from '../../settings.ts'
import { plannedForStacks } from './planned-connections.ts'

it('[OPR-09] the connection budget of the running service is read at METRICS_HOST', async () => {
  const DATA_DIR = temporaryFolder('storey-doctor')
  const service = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'host/src/main'], { stdio: 'ignore' })
  const metrics = createServer((_, res) => res.end('storey_stack_connections{state="budget",server="control"} 42\n'))
  try {
    await once(metrics.listen(0, '127.0.0.2'), 'listening')
    const { port } = metrics.address() as AddressInfo
    writeFileSync(join(DATA_DIR, 'storey.pid'), `${service.pid}\nhttp://127.0.0.1\n`)
    const settings = readSettings({ DATA_DIR, METRICS_PORT: `${port}`, METRICS_HOST: '127.0.0.2' })
    expect(await plannedForStacks(settings)).toBe(42)
  } finally {
    service.kill()
    metrics.close()
  }
})
