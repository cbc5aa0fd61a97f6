import { describe, expect, it } from 'vitest'
import { isUnseen } from './text-in-words.ts'

describe('a text of which nothing is to be seen', () => {
  it('is empty, or of spaces of any kind', () => {
    expect(['', '  ', '\u00a0\n', '\u200b'].map(isUnseen)).toEqual([true, true, true, true])
    expect([' a', '0', '–'].map(isUnseen)).toEqual([false, false, false])
  })
})
