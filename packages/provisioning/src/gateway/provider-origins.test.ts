import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createProviderOrigins } from './provider-origins.ts'

async function providerOf(document: (issuer: string) => object) {
  const server = createServer((_, response) => response.end(JSON.stringify(document(issuer))))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pool/`
  onTestFinished(() => void server.close())
  return issuer
}

it('[IDN-44] pages may connect to the endpoints of a provider that are not at its issuer', async () => {
  const issuer = await providerOf((own) => ({
    issuer: own,
    token_endpoint: 'https://login.example.com/oauth2/token',
    revocation_endpoint: `${own}revoke`,
    jwks_uri: 'data:application/json,{}',
    authorization_endpoint: 'https://pages.example.com/authorize',
  }))
  const origins = createProviderOrigins(issuer, 'https://storey.example.com')
  await expect.poll(origins).toEqual([new URL(issuer).origin, 'https://login.example.com'])
})

it('[IDN-44] pages connect only to the issuer if the discovery document names another issuer', async () => {
  let isAsked = false
  const issuer = await providerOf(() => {
    isAsked = true
    return { issuer: 'https://else.example.com', token_endpoint: 'https://else.example.com/token' }
  })
  const origins = createProviderOrigins(issuer, 'https://storey.example.com')
  await expect.poll(() => isAsked).toBe(true)
  expect(origins()).toEqual([new URL(issuer).origin])
  expect(createProviderOrigins(null, 'https://storey.example.com')()).toEqual([])
})
