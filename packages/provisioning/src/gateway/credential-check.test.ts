import { generateKeyPairSync } from 'node:crypto'
import { movableClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { createTokenSigner } from '@storey/kit/tokens'
import { expect, it } from 'vitest'
import { createCredentialCheck } from './credential-check.ts'

const SANDBOX = { id: 'sbx_a', tenantId: 'org_a' }

it('[STK-27] the credential check accepts only a valid token of the sandbox if there is no realm', async () => {
  const clock = movableClock()
  const iat = Math.floor(clock.now().getTime() / 1000)
  const newSigner = () => createTokenSigner('http://localhost:4000', generateKeyPairSync('ed25519').privateKey)
  const signer = await newSigner()
  const claims = { sub: SANDBOX.id, aud: SANDBOX.id, iat, exp: iat + 60 }
  const check = createCredentialCheck({ publicKey: signer.publicKey, sandboxesIssuer: null, clock, log: silentLog })
  const isValid = (token: string) => check(SANDBOX, `Bearer ${token}`)

  expect(await isValid(await signer.sign(claims))).toBe(true)
  expect(await isValid(await signer.sign({ ...claims, aud: 'sbx_b' }))).toBe(false)
  expect(await isValid(await signer.sign({ ...claims, exp: iat - 60 }))).toBe(false)
  expect(await isValid(await (await newSigner()).sign(claims))).toBe(false)
  expect(await isValid('invented')).toBe(false)
  expect(await check(SANDBOX, undefined)).toBe(false)
})
