import { describe, expect, it } from 'vitest'
import { isSandboxToken } from './sandbox-token.ts'

const tokenOf = (claims: object) => `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`

describe('the token of a sandbox', () => {
  it('is recognized by its audience', () => {
    expect(isSandboxToken(` ${tokenOf({ aud: 'sbx_1', sub: 'я' })}\n`)).toBe(true)
  })

  it('is distinguished from the token of a person, a key and any other text', () => {
    const others = [tokenOf({ aud: 'account' }), tokenOf({}), 'svc_live_abc', 'a.b.c', '..', '', 'a.e30', 'a.bnVsbA.c']
    expect(others.map(isSandboxToken)).toEqual(others.map(() => false))
  })
})
