import { describe, expect, it } from 'vitest'
import { createPauses } from './pauses.ts'

describe('pauses of failed work', () => {
  it('[SBX-68] begin with a failure, double with each further failure up to a maximum, and end with a success', () => {
    let now = 0
    const pauses = createPauses(1_000, () => now)
    const pausesFor = () => {
      const from = now
      while (pauses.of('remove').length > 0) now += 100
      return now - from
    }
    const measured = Array.from({ length: 8 }, () => {
      pauses.failed('remove', 'sbx_a')
      return pausesFor()
    })
    expect(measured).toEqual([500, 1_500, 3_500, 7_500, 15_500, 29_500, 29_500, 29_500])
    pauses.failed('remove', 'sbx_a')
    pauses.ended('remove', 'sbx_a')
    expect(pausesFor()).toBe(0)
    pauses.failed('remove', 'sbx_a')
    expect(pausesFor()).toBe(500)
  })

  it('[SBX-68] apply to one kind of work only: a sandbox that cannot be created can be removed at once', () => {
    const pauses = createPauses(60_000)
    pauses.failed('provision', 'sbx_a')
    expect(pauses.of('remove')).toEqual([])
    expect(pauses.of('provision')).toEqual(['sbx_a'])
  })
})
