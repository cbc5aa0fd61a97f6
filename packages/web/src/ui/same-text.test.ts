import { describe, expect, it } from 'vitest'
import { sameText } from './same-text.ts'

describe('a typed text', () => {
  it('is the same whatever white space stands between its words, and around them', () => {
    for (const typed of ['Harbour tower', ' Harbour   tower ', 'Harbour\u00a0tower']) {
      expect(sameText(typed, 'Harbour  tower')).toBe(true)
    }
  })

  it('is another by a letter, or by a space that is not there', () => {
    for (const typed of ['', ' ', 'Harbourtower', 'harbour tower']) expect(sameText(typed, 'Harbour tower')).toBe(false)
  })
})
