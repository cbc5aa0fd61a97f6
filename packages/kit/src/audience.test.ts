import { describe, expect, it } from 'vitest'
import { type Audience, checkAudience } from './audience.ts'

const accepts = (aud: string | string[] | undefined, audience: Audience) => {
  try {
    checkAudience(aud, audience)
    return true
  } catch {
    return false
  }
}

describe('the audience of a token', () => {
  const required = { required: 'https://storey.example/realms/sandboxes/api' }
  const own = { own: ['https://storey.example', 'https://id.example/realms/corp'] }

  it.each([
    [required.required, true],
    [['account', required.required], true],
    [`${required.required}/`, false],
    ['https://storey.example/realms/developers/api', false],
    ['account', false],
    [[], false],
    [undefined, false],
  ])('must contain the required value (%j is accepted: %j)', (aud, expected) =>
    expect(accepts(aud, required)).toBe(expected),
  )

  it.each([
    ['account', true],
    [['account', 'https://other.example'], true],
    [undefined, true],
    [[], true],
    ['urn:corporation', true],
    ['api://4711', true],
    ['https://storey.example/api', true],
    ['https://id.example/userinfo', true],
    ['https://other.example/api', false],
    [['https://other.example', 'http://storey.example'], false],
  ])('[IDN-31] %j of an external provider is accepted: %j', (aud, expected) => expect(accepts(aud, own)).toBe(expected))
})
