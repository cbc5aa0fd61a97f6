import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SMALL } from '../system/actors.ts'
import { call } from '../system/call.ts'
import { processes } from '../system/processes.ts'
import { actorsAt, startInstalled } from '../system/shared.ts'
import { startSystem } from '../system/system.ts'

const count = (pattern: RegExp) => processes().filter(({ args }) => pattern.test(args)).length

describe('a control plane that is killed', () => {
  it('[SBX-35, SBX-49, SBX-51] completes or fails ten creates after its restart, and leaves no leftovers', async () => {
    const env = { MAX_ACTIVE_SANDBOXES: '10', PROVISIONING_RATE_LIMIT_PER_MINUTE: '0' }
    const first = await startInstalled({ env })
    const key = await actorsAt(first).operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    const body = { name: 'Crash', ...SMALL, storeys: 4, spacesMax: 12 }
    const created = await Promise.all(
      Array.from({ length: 10 }, () => actorsAt(first).api(key, '/api/v1/sandboxes', { body })),
    )
    expect(created.every(({ status }) => status === 202)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 900))
    await first.kill9()
    const postgres = new RegExp(`postgres -D ${first.dataDir}`)
    await expect.poll(() => count(postgres)).toBe(0)

    const second = await startSystem({ env, dataDir: first.dataDir, port: Number(new URL(first.url).port) })
    const { api, operator, waitWhileProvisioning } = actorsAt(second)
    const records = await Promise.all(created.map(({ json }) => waitWhileProvisioning(key, json.sandboxId)))
    for (const { status } of records) expect(['ready', 'failed']).toContain(status)
    // These two differ most: when the control plane was killed, it was creating the first sandbox, and most likely had
    // not begun to create the last one.
    for (const { status, apiUrl } of [records[0], records.at(-1)]) {
      if (status === 'ready') expect((await call(`${apiUrl}/healthz`)).status).toBe(200)
    }
    const removed = created.map(({ json }) => api(key, `/api/v1/sandboxes/${json.sandboxId}`, { method: 'DELETE' }))
    expect((await Promise.all(removed)).every(({ status }) => status === 204)).toBe(true)
    expect(await operator('leftovers')).toBe('')
    expect(readdirSync(join(second.dataDir, 'sandboxes'))).toEqual([])
    await second.remove()
  }, 240_000)
})
