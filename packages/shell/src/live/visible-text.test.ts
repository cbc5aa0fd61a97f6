import { describe, expect, it } from 'vitest'
import { isInvisible } from './visible-text.ts'

describe('an invisible text', () => {
  it('is empty or consists of white space and invisible formatting characters', () => {
    expect(['', '  ', '\u00a0\n', '\u200b'].map(isInvisible)).toEqual([true, true, true, true])
    expect([' a', '0', '–'].map(isInvisible)).toEqual([false, false, false])
  })
})
