import { describe, expect, it } from 'vitest'
import { readsAsMoment } from './snapshot-name.ts'

describe('the name of a snapshot', () => {
  it('is no number and no moment', () => {
    for (const name of ['2026', ' 7 ', '-1.5', '1e3', '2026-11-15T10:00:00Z', '2026-11-15 10:00+01:00', '2026-11-15'])
      expect(readsAsMoment(name)).toBe(true)
  })

  it('may hold numbers', () => {
    for (const name of ['Handover', 'Handover 2026', '2026 refit', 'B-12', '']) expect(readsAsMoment(name)).toBe(false)
  })
})
