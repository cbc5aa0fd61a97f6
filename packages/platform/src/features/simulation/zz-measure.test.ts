import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { resolveSpec } from '@storey/building'
import { STACK_CONFIG_VARIABLE } from '@storey/contract'
import { readMigrations, sql } from '@storey/kit/database'
import { testDatabase } from '@storey/kit/testing'
import { it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../migrations.ts'
import { seedBuilding } from '../../seed/seed-building.ts'
import { seedRequest, serveConfig } from '../../testing/test-stack.ts'
import { sandboxToken } from '../../testing/tokens.ts'

const specs = {
  mid: resolveSpec({ seed: 'b', storeys: 20, spacesMin: 40, spacesMax: 60 }),
  giant: resolveSpec({ seed: 'c', storeys: 50, spacesMin: 200, spacesMax: 200, equipmentDensity: 'dense' }),
}
for (const name of (process.env.ZZ ?? 'mid').split(',') as (keyof typeof specs)[])
  it(`measures ${name}`, { timeout: 400_000 }, async () => {
    const { url, database: db, drop } = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
    const seeded = await seedBuilding(db, seedRequest({ building: specs[name], until: new Date().toISOString() }), () => undefined)
    const child = spawn(process.execPath, ['--max-old-space-size=384', '--heap-growing-percent=200', fileURLToPath(new URL('../../main.ts', import.meta.url)), 'serve'], {
      cwd: mkdtempSync(join(tmpdir(), 'zz-')),
      env: { PATH: process.env.PATH, [STACK_CONFIG_VARIABLE]: JSON.stringify(serveConfig(url, { memoryLimitMb: 1400, logForm: 'lines' })) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const port = await new Promise<number>((resolve) => child.on('message', (m: any) => m.type === 'listening' && resolve(m.port)))
    child.on('exit', (code) => console.log('exit', code))
    const headers = { authorization: `Bearer ${await sandboxToken()}`, 'content-type': 'application/json' }
    const path = `http://127.0.0.1:${port}/api/v1/buildings/${seeded.buildingId}/simulation`
    const rss = () => readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)![1]!.slice(0, -3)
    console.log('rss', rss())
    await fetch(`http://127.0.0.1:${port}/api/v1/buildings/${seeded.buildingId}/telemetry/latest`, { headers }).then((r) => r.text())
    console.log('rss', rss())
    const speed = Number(process.env.SPEED ?? 600)
    await fetch(path, { method: 'POST', headers, body: JSON.stringify({ running: true, speed }) })
    let slowest = 0
    for (let i = 0; i < 12; i++) {
      const until = Date.now() + 5000
      while (Date.now() < until) {
        const t = performance.now()
        await fetch(path, { headers }).then((r) => r.text())
        slowest = Math.max(slowest, performance.now() - t)
        await new Promise((r) => setTimeout(r, 20))
      }
      const row = await db.row<any>(sql`select sent_until from simulations`)
      const state: any = await fetch(path, { headers }).then((r) => r.json())
      console.log(speed, 'slowest', slowest.toFixed(0), 'rss', rss(), 'lag s', ((Date.parse(state.simulatedAt) - +row.sent_until) / 1000 / speed).toFixed(1), state.simulatedAt)
      slowest = 0
    }
    await fetch(path, { method: 'POST', headers, body: JSON.stringify({ running: false }) })
    await new Promise((r) => setTimeout(r, 5000))
    console.log('stopped rss', rss())
    child.kill()
    await new Promise((r) => child.on('exit', r))
    await drop()
  })
