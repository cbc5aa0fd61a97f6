import { describe, expect, it } from 'vitest'
import { sameText } from './same-text.ts'

describe('sameText', () => {
  it('ignores differences in white space', () => {
    for (const typed of ['Harbour tower', ' Harbour   tower ', 'Harbour\u00a0tower']) {
      expect(sameText(typed, 'Harbour  tower')).toBe(true)
    }
  })

  it('is false if letters or their case differ, or a space is missing', () => {
    for (const typed of ['', ' ', 'Harbourtower', 'harbour tower']) expect(sameText(typed, 'Harbour tower')).toBe(false)
  })
})
