import { afterEach, describe, expect, it } from 'vitest'
import { bearer } from '../credentials/credential.ts'
import { createPlatformClient } from '../platform/client.ts'
import { createProvisioningClient } from '../provisioning/client.ts'
import { startServer } from '../testing/test-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function all<T>(each: AsyncIterable<T>): Promise<T[]> {
  const rows: T[] = []
  for await (const row of each) rows.push(row)
  return rows
}

describe('a response that is not from Storey', () => {
  it('is reported as an error, and never returned as a record', async () => {
    let body: unknown
    const server = await startServer(() => ({ body }))
    closing.push(server.close)
    const { sandboxes, keys } = createProvisioningClient({ url: server.url, credential: bearer('t') })
    const calls: (() => Promise<unknown>)[] = [
      () => sandboxes.list(),
      async () => await all(sandboxes.listAll()),
      () => sandboxes.get('sbx_1'),
      () => sandboxes.create({ name: 'Mall' }),
      () => sandboxes.connection('sbx_1'),
      () => sandboxes.extend('sbx_1', 1),
      () => sandboxes.reset('sbx_1'),
      () => sandboxes.waitWhileProvisioning('sbx_1'),
      () => keys.list(),
      async () => await all(keys.auditAll()),
    ]
    for (body of [null, {}, [], 'text', 7, { data: [null], total: 1 }, { data: 'x', total: 1 }]) {
      for (const call of calls.filter((_, i) => i < 8 || !Array.isArray((body as { data?: unknown } | null)?.data))) {
        await expect(call(), `${call} of ${JSON.stringify(body)}`).rejects.toMatchObject({
          name: 'StoreyError',
          code: 'UNKNOWN',
          message: expect.stringContaining('is not from Storey'),
        })
      }
    }
  })

  it('does not make a list endless', async () => {
    const server = await startServer(({ path }) => {
      if (path.endsWith('/audit')) return { body: { data: [{ auditId: 1 }], nextBefore: 5 } }
      return { body: { data: [{ value: '1' }], nextFrom: '2026-01-01T00:00:00Z' } }
    })
    closing.push(server.close)
    const { keys } = createProvisioningClient({ url: server.url, credential: bearer('t') })
    expect(await all(keys.auditAll())).toHaveLength(2)
    const { building, requests } = createPlatformClient({ url: server.url, credential: bearer('t') })
    expect(await all(building('b').points.listAll())).toHaveLength(1)
    expect(await all(requests.listAll())).toHaveLength(1)
    expect(await all(building('b').telemetry.historyAll({ pointId: 'p' }))).toHaveLength(2)
  })
})
