import { REALM_ENDPOINTS } from '@storey/contract'
import type { TestDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

describe('the endpoints of a realm', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database })
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  it.each(['developers', 'sandboxes'] as const)(
    'include every endpoint that the metadata of the realm %s lists',
    async (realm) => {
      const issuer = identity.issuers[realm]
      const metadata = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as object
      const addresses = Object.entries(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name))
      expect(addresses.length).toBeGreaterThanOrEqual(6)
      const paths = addresses.map(([, address]) => String(address).replace(issuer, ''))
      expect(paths.filter((path) => !REALM_ENDPOINTS.includes(path))).toEqual([])
    },
  )

  it.each(REALM_ENDPOINTS)('exist: %s', async (path) => {
    const requests: RequestInit[] = [{}, { method: 'POST', body: new URLSearchParams() }]
    const answers = requests.map((init) => fetch(identity.issuers.developers + path, { redirect: 'manual', ...init }))
    expect((await Promise.all(answers)).map(({ status }) => status).some((status) => status !== 404)).toBe(true)
  })
})
