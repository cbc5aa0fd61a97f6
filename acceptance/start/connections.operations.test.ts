import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SMALL } from '../system/actors.ts'
import { call } from '../system/call.ts'
import { actorsAt } from '../system/shared.ts'
import { startSystem } from '../system/system.ts'

const SANDBOXES = 6
const percentile = (all: number[], share: number) => all.toSorted((a, b) => a - b)[Math.floor(all.length * share)]!

describe('a PostgreSQL with few connections', () => {
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  let folder: string
  beforeAll(async () => {
    folder = temporaryFolder('storey-few')
    chmodSync(folder, 0o711)
    const settings = { max_connections: '24', fsync: 'off', full_page_writes: 'off' }
    server = await startEmbeddedPostgres({
      folder: join(folder, 'server'),
      password: 'secret',
      log: silentLog,
      settings,
    })
    const admin = new pg.Client(server.url)
    await admin.connect()
    await admin.query(`create role twin login createdb createrole password 'secret'`)
    await admin.query('create database twin owner twin')
    await admin.end()
  })
  afterAll(async () => {
    await server.stop()
  })

  it('[STK-17, STK-18, HST-36] serves, in turn, three times as many sandboxes as can be awake together, and always serves the control plane', async () => {
    const url = new URL(server.url)
    url.username = 'twin'
    url.pathname = '/twin'
    const system = await startSystem({
      env: { DATABASE_URL: url.href, MAX_ACTIVE_SANDBOXES: `${SANDBOXES}`, PROVISIONING_RATE_LIMIT_PER_MINUTE: '0' },
    })
    const { operator, api, waitWhileProvisioning } = actorsAt(system)
    const key = await operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    const created = await Promise.all(
      Array.from({ length: SANDBOXES }, () => api(key, '/api/v1/sandboxes', { body: { name: 'Many', ...SMALL } })),
    )
    for (const { json } of created) expect((await waitWhileProvisioning(key, json.sandboxId)).status).toBe('ready')
    const connections = await Promise.all(
      created.map(async ({ json }) => (await api(key, `/api/v1/sandboxes/${json.sandboxId}/connection`)).json),
    )

    const took: number[] = []
    const refused: string[] = []
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        const startedAt = performance.now()
        const { status, text } = await api(key, '/api/v1/sandboxes')
        if (status !== 200) refused.push(text)
        took.push(performance.now() - startedAt)
        await sleep(50)
      }
    })()
    const wokenAt = performance.now()
    const answers = await Promise.all(
      connections.map(async ({ apiUrl, token }) => {
        for (const deadline = Date.now() + 90_000; Date.now() < deadline; await sleep(1_000)) {
          const { status, json } = await call(`${apiUrl}/api/v1/buildings`, { token })
          if (status === 200) return status
          // Every refusal is a 503 with the code NOT_READY.
          expect({ status, code: json.code }).toEqual({ status: 503, code: 'NOT_READY' })
        }
        return undefined
      }),
    )
    const wakingMs = performance.now() - wokenAt
    isOver = true
    await watching
    expect(refused).toEqual([])
    expect(answers).toEqual(Array(SANDBOXES).fill(200))
    expect(system.output()).not.toMatch(/too many (clients|connections)|remaining connection slots/)
    // The control plane always answers immediately, unlike the sandboxes, which take turns.
    expect(percentile(took, 0.99)).toBeLessThan(wakingMs / 3)
    await system.remove()
  })
})
