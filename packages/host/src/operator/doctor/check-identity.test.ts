import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestRealm } from '@storey/kit/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
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
    expect(found).toContain(`ok: the realm sandboxes is ${issuer}, with 1 signing key`)
    expect(found).toContainEqual(expect.stringContaining('warning: SANDBOXES_AUDIENCE is not set'))
    expect(await findingsAt({ SANDBOXES_ISSUER: issuer, SANDBOXES_AUDIENCE: 'storey' })).not.toContainEqual(
      expect.stringContaining('warning'),
    )
  })

  it('[OPR-09] must publish the issuer of the settings', async () => {
    const found = await findingsAt({ SANDBOXES_ISSUER: `${realm.issuer}/` })
    expect(found).toContain(
      `problem: the realm sandboxes has the issuer ${realm.issuer} in its discovery document, not ${realm.issuer}/: its tokens are refused`,
    )
  })

  it('[OPR-09] must be reachable; if it is not, the other realm is still checked', async () => {
    const found = await findingsAt({
      DEVELOPERS_ISSUER: 'http://127.0.0.1:1/realms/developers',
      SANDBOXES_ISSUER: realm.issuer,
    })
    expect(found[0]).toMatch(/^problem: the realm developers at .* cannot be read: /)
    expect(found[1]).toMatch(/^ok: the realm sandboxes is/)
  })
})

describe('the clients of the developers realm', () => {
  let server: Server | undefined
  afterEach(() => new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined))))

  /** A realm whose endpoints for sign-ins answer with this status and location. */
  async function realmAnswering(status: number, location = ''): Promise<string> {
    const started = createServer((request, response) => {
      const issuer = `http://${request.headers.host}`
      const documents: Record<string, object> = {
        '/.well-known/openid-configuration': {
          issuer,
          jwks_uri: `${issuer}/jwks`,
          authorization_endpoint: `${issuer}/auth`,
          device_authorization_endpoint: `${issuer}/device`,
        },
        '/jwks': { keys: [{ alg: 'ES256', use: 'sig' }] },
      }
      const document = documents[request.url!]
      if (document) response.end(JSON.stringify(document))
      else response.writeHead(status, location === '' ? {} : { location }).end()
    })
    server = started
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
  }

  it.each([
    [503, ''],
    [303, '/callback?error=server_error&state=1'],
  ])('[OPR-09] are not reported as refused if the realm answers %d%s', async (status, location) => {
    const found = await findingsAt({ DEVELOPERS_ISSUER: await realmAnswering(status, location) })
    const problems = found.filter((line) => line.startsWith('problem'))
    const answer = location === '' ? status : 'server_error'
    expect(problems).toEqual([`problem: the realm developers answers ${answer} to sign-ins`])
    expect(found).not.toContainEqual(expect.stringContaining('is not accepted'))
  })

  it('[OPR-09] must be known to the realm', async () => {
    const found = await findingsAt({ DEVELOPERS_ISSUER: await realmAnswering(400) })
    expect(found).toContain('problem: the client svc-portal is not accepted (400)')
    expect(found).toContain('warning: the client svc-cli is not accepted (400): svc login does not work')
  })
})
