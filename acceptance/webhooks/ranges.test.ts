import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { actorsAt } from '../system/shared.ts'
import { type System, startSystem } from '../system/system.ts'

describe('webhooks to a company network in production', () => {
  let system: System
  let connection: Awaited<ReturnType<ReturnType<typeof actorsAt>['newSandbox']>>['connection']
  beforeAll(async () => {
    system = await startSystem({
      env: {
        MODE: 'production',
        MASTER_SECRET: '0123456789abcdef0123456789abcdef',
        WEBHOOK_ALLOWED_RANGES: '10.20.0.0/16,169.254.0.0/16,fd12::/16',
        WEBHOOK_DENIED_RANGES: '10.20.99.0/24',
      },
    })
    const { newDeveloper, newSandbox } = actorsAt(system)
    connection = (await newSandbox((await newDeveloper()).key)).connection
  })
  afterAll(() => system.remove())

  const register = (url: string) =>
    call(`${connection.apiUrl}/api/v1/webhooks`, {
      token: connection.token,
      body: { url, events: ['building.changeset.applied'] },
    })

  it.each(['https://10.20.1.2/hook', 'https://10.20.255.255/hook', 'https://[fd12::1]/hook'])(
    '[WHK-44] may be sent to %s, which WEBHOOK_ALLOWED_RANGES allows',
    async (url) => {
      expect((await register(url)).status).toBe(201)
    },
  )

  it.each([
    ['WHK-44', 'https://10.21.1.2/hook', 'private_address'],
    ['WHK-44', 'https://10.20.99.1/hook', 'private_address'],
    ['WHK-44', 'https://127.0.0.1/hook', 'private_address'],
    ['WHK-44', 'http://10.20.1.2/hook', 'not_https'],
    ['WHK-43', 'https://169.254.169.254/latest/meta-data/', 'private_address'],
    ['WHK-43', 'https://metadata.google.internal/', 'private_address'],
    ['WHK-43', 'https://[fd00:ec2::254]/', 'private_address'],
  ])('[%s] are not sent to %s', async (_id, url, reason) => {
    const { status, json } = await register(url)
    expect([status, json.code, json.reason]).toEqual([400, 'WEBHOOK_URL_REJECTED', reason])
  })
})
