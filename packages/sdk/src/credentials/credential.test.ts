import { describe, expect, it } from 'vitest'
import { apiKey, bearer } from './credential.ts'

describe('a fixed credential', () => {
  it('[SDK-12] throws when it is created if the token is missing or cannot be sent in a header', () => {
    expect(() => apiKey(undefined as unknown as string)).toThrow(
      'The token is undefined: is its environment variable set?',
    )
    expect(() => bearer(' ')).toThrow('The token is empty: is its environment variable set?')
    expect(() => bearer('a\u00e9')).toThrow('characters that cannot be sent in a header')
  })

  it('is used without surrounding whitespace', async () => {
    expect(await bearer(' abc\n').token()).toBe('abc')
  })
})
