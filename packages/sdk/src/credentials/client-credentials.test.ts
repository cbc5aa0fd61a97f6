import { afterEach, describe, expect, it } from 'vitest'
import { createPlatformClient } from '../platform/client.ts'
import { problem, type ReceivedRequest, type Reply, startServer } from '../testing/test-server.ts'
import { clientCredentials } from './client-credentials.ts'

type Server = Awaited<ReturnType<typeof startServer>>
const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** A realm that issues token-1, token-2 and so on, and an API that accepts only the last one. */
async function realm({ methods, expiresIn = 300 }: { methods?: string[]; expiresIn?: number } = {}) {
  let given = 0
  const grants: ReceivedRequest[] = []
  const answer = (received: ReceivedRequest): Reply => {
    if (received.path === '/realms/sandboxes/.well-known/openid-configuration') {
      const token_endpoint = `http://sandbox-1.localhost:${server.port}/token`
      return { body: { token_endpoint, ...(methods ? { token_endpoint_auth_methods_supported: methods } : {}) } }
    }
    if (received.path === '/token') {
      grants.push(received)
      given += 1
      return { body: { access_token: `token-${given}`, token_type: 'Bearer', expires_in: expiresIn } }
    }
    if (received.headers.authorization !== `Bearer token-${given}`) return problem(401, 'UNAUTHENTICATED')
    return { body: { data: [], total: 0, limit: 50, offset: 0 } }
  }
  const server = await startServer(answer)
  servers.push(server)
  const issuer = `${server.url}/realms/sandboxes/`
  return { server, issuer, grants, expire: () => given++ }
}

describe('client credentials', () => {
  it('[SDK-01] get a token, cache it, and get a new one when the API responds with 401', async () => {
    const { issuer, server, grants, expire } = await realm()
    const credential = clientCredentials({ issuer, clientId: 'id:1', clientSecret: 'sec/ret +ü' })
    const client = createPlatformClient({ url: server.url, credential })
    await Promise.all([client.buildings.list(), client.buildings.list()])
    await client.buildings.list()
    expect(grants).toHaveLength(1)
    const basic = Buffer.from('id%3A1:sec%2Fret+%2B%C3%BC').toString('base64')
    expect(grants[0]).toMatchObject({
      body: 'grant_type=client_credentials',
      headers: { authorization: `Basic ${basic}` },
    })
    expire()
    await client.buildings.list()
    expect(grants).toHaveLength(2)
  })

  it('send the secret in the body if the realm requires that', async () => {
    const { issuer, grants } = await realm({ methods: ['client_secret_post'] })
    await clientCredentials({ issuer, clientId: 'id', clientSecret: 's' }).token()
    expect(grants[0]!.body).toBe('grant_type=client_credentials&client_id=id&client_secret=s')
    expect(grants[0]!.headers.authorization).toBeUndefined()
  })

  it('request a scope and an audience', async () => {
    const { issuer, grants } = await realm()
    await clientCredentials({ issuer, clientId: 'id', clientSecret: 's', scope: 'a b', audience: 'storey' }).token()
    expect(grants[0]!.body).toBe('grant_type=client_credentials&scope=a+b&audience=storey')
  })

  it('replace a token that has expired', async () => {
    const { issuer, grants } = await realm({ expiresIn: 0 })
    const credential = clientCredentials({ issuer, clientId: 'id', clientSecret: 's' })
    expect([await credential.token(), await credential.token()]).toEqual(['token-1', 'token-2'])
    expect(grants).toHaveLength(2)
  })

  it('repeat a failed discovery, and report the reason for which the realm refuses a token, but not the secret', async () => {
    let down = true
    const server = await startServer(({ path }) => {
      if (down) return { status: 502, body: '<html>' }
      if (path.includes('well-known')) return { body: { token_endpoint: `${server.url}/token` } }
      return { status: 401, body: { error: 'invalid_client', error_description: 'unknown client' } }
    })
    servers.push(server)
    const credential = clientCredentials({ issuer: server.url, clientId: 'id', clientSecret: 'hush-hush' })
    await expect(credential.token()).rejects.toMatchObject({ status: 502 })
    down = false
    const error = await credential.token().catch((caught) => caught)
    expect(error.message).toBe(
      'The realm did not issue a token to this client: invalid_client: unknown client [401 UNAUTHENTICATED]',
    )
    expect(JSON.stringify([error, error.stack])).not.toContain('hush-hush')
  })
})
