import { describe, expect, it } from 'vitest'
import { isNumberOrDate } from './snapshot-name.ts'

describe('a snapshot name', () => {
  it('must not be a number or a date', () => {
    for (const name of ['2026', ' 7 ', '-1.5', '1e3', '2026-11-15T10:00:00Z', '2026-11-15 10:00+01:00', '2026-11-15'])
      expect(isNumberOrDate(name)).toBe(true)
  })

  it('may contain numbers', () => {
    for (const name of ['Handover', 'Handover 2026', '2026 refit', 'B-12', '']) expect(isNumberOrDate(name)).toBe(false)
  })
})
