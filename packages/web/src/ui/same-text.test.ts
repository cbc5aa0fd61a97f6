import { describe, expect, it } from 'vitest'
import { sameText } from './same-text.ts'

describe('sameText', () => {
  it('ignores differences in white space', () => {
    for (const typed of ['Harbour tower', ' Harbour   tower ', 'Harbour\u00a0tower']) {
      expect(sameText(typed, 'Harbour  tower')).toBe(true)
    }
  })

  it('compares letters, case and missing spaces', () => {
    for (const typed of ['', ' ', 'Harbourtower', 'harbour tower']) expect(sameText(typed, 'Harbour tower')).toBe(false)
  })
})
