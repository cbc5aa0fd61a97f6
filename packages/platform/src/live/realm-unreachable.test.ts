import { startTestRealm } from '@storey/kit/testing'
import { expect, it } from 'vitest'
import { ORGANIZATION_ID } from '../testing/tokens.ts'
import { startTestLive } from './testing/test-live.ts'

it('[IDN-33] the live channel refuses a token with NOT_READY while the realm of the token is unreachable', async () => {
  const realm = await startTestRealm('/realms/sandboxes')
  const live = await startTestLive({ sandboxesIssuer: realm.issuer })
  try {
    const token = await realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles: ['user'] } })
    realm.pause()
    await expect(live.connect({ auth: { token } })).rejects.toMatchObject({ data: { code: 'NOT_READY' } })
    await expect(live.connect({ auth: { token: 'bad' } })).rejects.toMatchObject({ data: { code: 'UNAUTHENTICATED' } })
    realm.resume()
    await expect
      .poll(async () => (await live.connect({ auth: { token } }).catch(() => undefined))?.connected)
      .toBe(true)
  } finally {
    await live.close()
    await realm.stop()
  }
})

it('[IDN-33] the sign-in time limit covers only sending the token, so a slow realm can take longer', async () => {
  const realm = await startTestRealm('/realms/sandboxes')
  const live = await startTestLive({ sandboxesIssuer: realm.issuer, limits: { signInMs: 300 } })
  try {
    realm.slowDown(500)
    const token = await realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles: ['user'] } })
    expect((await live.connect({ auth: { token } })).connected).toBe(true)
  } finally {
    await live.close()
    await realm.stop()
  }
})
