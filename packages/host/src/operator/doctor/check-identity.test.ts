import { startTestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSettings } from '../../settings.ts'
import { checkIdentity } from './check-identity.ts'

const findingsAt = async (env: Record<string, string>) =>
  (await checkIdentity(readSettings(env), false)).all.map(({ level, text }) => `${level}: ${text}`)

describe('an identity provider of your own', () => {
  let realm: Awaited<ReturnType<typeof startTestRealm>>
  beforeAll(async () => {
    realm = await startTestRealm('/realms/sandboxes')
  })
  afterAll(() => realm.stop())

  it('[OPR-09] must publish its issuer and keys', async () => {
    const { issuer } = realm
    const found = await findingsAt({ SANDBOXES_ISSUER: issuer })
    expect(found).toContain(`ok: the realm sandboxes is ${issuer}, with 1 signing keys`)
    expect(found).toContainEqual(expect.stringContaining('warning: SANDBOXES_AUDIENCE is not set'))
    expect(await findingsAt({ SANDBOXES_ISSUER: issuer, SANDBOXES_AUDIENCE: 'storey' })).not.toContainEqual(
      expect.stringContaining('warning'),
    )
  })

  it('[OPR-09] must publish the issuer of the settings', async () => {
    const found = await findingsAt({ SANDBOXES_ISSUER: `${realm.issuer}/` })
    expect(found).toContain(
      `problem: the realm sandboxes calls itself ${realm.issuer}, not ${realm.issuer}/: its tokens are refused`,
    )
  })

  it('[OPR-09] must be reachable, and the other realm is checked nevertheless', async () => {
    const found = await findingsAt({
      DEVELOPERS_ISSUER: 'http://127.0.0.1:1/realms/developers',
      SANDBOXES_ISSUER: realm.issuer,
    })
    expect(found[0]).toMatch(/^problem: the realm developers at .* cannot be read: /)
    expect(found[1]).toMatch(/^ok: the realm sandboxes is/)
  })
})
