import { describe, expect, it } from 'vitest'
import { FLOWING_MS, flowOf } from './data-flow.ts'

const NOW = 1_000_000_000
const RECENT = NOW - FLOWING_MS
const OLD = RECENT - 1

describe('the flow of data', () => {
  it('is on while the simulation or another source sends values', () => {
    expect(flowOf({ at: RECENT, fromOthersAt: undefined }, NOW, true)).toBe('flowing')
    expect(flowOf({ at: RECENT, fromOthersAt: undefined }, NOW, undefined)).toBe('flowing')
    expect(flowOf({ at: RECENT, fromOthersAt: RECENT }, NOW, false)).toBe('flowing')
  })

  it('is stopped as soon as the simulation is, unless another source sends values', () => {
    expect(flowOf({ at: NOW, fromOthersAt: OLD }, NOW, false)).toBe('stopped')
    expect(flowOf({ at: undefined, fromOthersAt: undefined }, NOW, false)).toBe('stopped')
  })

  it('is idle when no value arrives and the simulation runs or is not known', () => {
    expect(flowOf({ at: undefined, fromOthersAt: undefined }, NOW, true)).toBe('idle')
    expect(flowOf({ at: OLD, fromOthersAt: OLD }, NOW, undefined)).toBe('idle')
  })
})
