import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { actorsOf, SMALL } from '../system/actors.ts'
import { call } from '../system/call.ts'
import { startSystem } from '../system/system.ts'

const count = (pattern: RegExp) =>
  execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => pattern.test(line)).length

describe('a control plane that is killed', () => {
  it('[SBX-35, SBX-49, SBX-51] brings ten creates to an end after its restart, and leaves nothing over', async () => {
    const env = { MAX_ACTIVE_SANDBOXES: '10' }
    const first = await startSystem({ env })
    const key = await actorsOf(first).operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    const body = { name: 'Crash', ...SMALL, storeys: 8, spacesMax: 30 }
    const created = await Promise.all(
      Array.from({ length: 10 }, () => actorsOf(first).api(key, '/api/v1/sandboxes', { body })),
    )
    expect(created.every(({ status }) => status === 202)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 900))
    await first.kill9()
    const postgres = new RegExp(`postgres -D ${first.dataDir}`)
    await expect.poll(() => count(postgres), { timeout: 10_000 }).toBe(0)

    const second = await startSystem({ env, dataDir: first.dataDir, port: Number(new URL(first.url).port) })
    const { api, operator, untilSettled } = actorsOf(second)
    for (const { json } of created) {
      const record = await untilSettled(key, json.sandboxId)
      expect(['ready', 'failed']).toContain(record.status)
      if (record.status === 'ready') expect((await call(`${record.apiUrl}/healthz`)).status).toBe(200)
    }
    for (const { json } of created) {
      expect((await api(key, `/api/v1/sandboxes/${json.sandboxId}`, { method: 'DELETE' })).status).toBe(204)
    }
    expect(await operator('leftovers')).toBe('')
    expect(readdirSync(join(second.dataDir, 'sandboxes'))).toEqual([])
    await second.remove()
  })
})
