/// <reference types="node" />
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discover, GrantRefused, redeemCode } from './provider.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)

let server: Server
let issuer: string
let metadataIssuer: string
let claims: Record<string, unknown>
let received: URLSearchParams
let accessToken: string

beforeAll(async () => {
  server = createServer(async (request, response) => {
    received = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    const isToken = request.url === '/realm/token'
    const idToken = `${part({ alg: 'RS256' })}.${part(claims)}.${part({})}`
    const tokens = { access_token: accessToken, token_type: 'bearer', expires_in: 600, id_token: idToken }
    const metadata = { issuer: metadataIssuer, token_endpoint: `${issuer}/token` }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(isToken ? tokens : metadata))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const good = () => ({ iss: issuer, aud: 'svc-portal', sub: 'dev_1', nonce: 'n', iat: now(), exp: now() + 600 })

async function redeem(changes: Record<string, unknown> = {}, parameters = 'code=c&state=s', access = 'a.b.c') {
  metadataIssuer = issuer
  accessToken = access
  claims = { ...good(), ...changes }
  const provider = await discover(issuer, 'svc-portal')
  const own = { redirectUri: 'http://home/callback', state: 's', nonce: 'n', verifier: 'v'.repeat(43) }
  return await redeemCode(provider, { ...own, parameters: new URLSearchParams(parameters) })
}

describe('redeeming a code', () => {
  it('exchanges the code and its verifier for tokens', async () => {
    expect(await redeem()).toMatchObject({ accessToken: 'a.b.c', refreshToken: undefined })
    expect(Object.fromEntries(received)).toEqual({
      grant_type: 'authorization_code',
      client_id: 'svc-portal',
      code: 'c',
      redirect_uri: 'http://home/callback',
      code_verifier: 'v'.repeat(43),
    })
  })

  it('refuses an ID token of another sign-in, app or issuer', async () => {
    for (const changes of [{ nonce: 'other' }, { nonce: undefined }, { aud: 'another-app' }, { iss: 'http://else' }]) {
      await expect(redeem(changes), JSON.stringify(changes)).rejects.toBeInstanceOf(GrantRefused)
    }
  })

  it('refuses an access token that is not a JWT, because the service could not check the token', async () => {
    await expect(redeem({}, undefined, 'opaque')).rejects.toMatchObject({ message: 'the access token is not a JWT' })
  })

  it('accepts an ID token when the browser clock is hours off', async () => {
    const [iat, exp] = [now() - 8 * 3600, now() - 7 * 3600]
    expect(await redeem({ iat, exp })).toMatchObject({ accessToken: 'a.b.c' })
  })

  it('refuses a response of another issuer or state, and reports the error of the provider', async () => {
    await expect(redeem({}, 'code=c&state=s&iss=http://else')).rejects.toBeInstanceOf(GrantRefused)
    await expect(redeem({}, 'code=c&state=t')).rejects.toBeInstanceOf(GrantRefused)
    const refusal = redeem({}, 'state=s&error=access_denied&error_description=Not+invited')
    await expect(refusal).rejects.toMatchObject({ message: 'Not invited', isDenied: true })
    await expect(redeem({}, 'state=s&error=server_error')).rejects.toMatchObject({ isDenied: false })
  })
})

it('refuses the metadata of another issuer', async () => {
  metadataIssuer = 'http://127.0.0.1/other'
  await expect(discover(issuer, 'svc-portal')).rejects.toThrow('issuer')
})
