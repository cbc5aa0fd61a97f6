import { describe, expect, it } from 'vitest'
import { createVault } from './vault.ts'

describe('the vault', () => {
  const vault = createVault('master')
  const sealed = vault.seal('a secret', 'row 1')

  it('decrypts what it encrypted under the same name', () => {
    expect(vault.open(sealed, 'row 1')).toBe('a secret')
    expect(createVault('master').open(sealed, 'row 1')).toBe('a secret')
  })

  it.each([
    ['under another name', vault, sealed, 'row 2'],
    ['with another master secret', createVault('other'), sealed, 'row 1'],
    ['when the sealed bytes were changed', vault, Buffer.from(sealed).fill(sealed[30]! ^ 1, 30, 31), 'row 1'],
    ['when the sealed bytes were truncated', vault, sealed.subarray(0, 10), 'row 1'],
  ])('decrypts nothing %s', (_, opener, bytes, name) => {
    expect(opener.open(bytes, name)).toBeUndefined()
  })

  it('encrypts the same text differently each time', () => {
    expect(vault.seal('a secret', 'row 1')).not.toEqual(sealed)
  })
})
