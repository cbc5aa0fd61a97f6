import { SIMULATION_SOURCE } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { createArrivalTimes, FLOWING_MS, flowOf } from './data-flow.ts'

const NOW = 1_000_000_000
const RECENT = NOW - FLOWING_MS
const OLD = RECENT - 1
const RUNNING = { running: true, automatic: false }
const STOPPED = { running: false, automatic: false }

describe('the flow of data', () => {
  it('is `idle`, not `stopped`, before an automatic simulation starts, unless another source sends values', () => {
    expect(flowOf({ at: RECENT, fromOthersAt: undefined }, NOW, { running: false, automatic: true })).toBe('idle')
    expect(flowOf({ at: RECENT, fromOthersAt: RECENT }, NOW, { running: false, automatic: true })).toBe('flowing')
  })

  it('is `flowing` while the simulation or another source sends values', () => {
    expect(flowOf({ at: RECENT, fromOthersAt: undefined }, NOW, RUNNING)).toBe('flowing')
    expect(flowOf({ at: RECENT, fromOthersAt: undefined }, NOW, undefined)).toBe('flowing')
    expect(flowOf({ at: RECENT, fromOthersAt: RECENT }, NOW, STOPPED)).toBe('flowing')
  })

  it('is `stopped` as soon as the simulation is stopped, unless another source sends values', () => {
    expect(flowOf({ at: NOW, fromOthersAt: OLD }, NOW, STOPPED)).toBe('stopped')
    expect(flowOf({ at: undefined, fromOthersAt: undefined }, NOW, STOPPED)).toBe('stopped')
  })

  it('is `idle` when no value arrives and the simulation runs or its state is not known', () => {
    expect(flowOf({ at: undefined, fromOthersAt: undefined }, NOW, RUNNING)).toBe('idle')
    expect(flowOf({ at: OLD, fromOthersAt: OLD }, NOW, undefined)).toBe('idle')
  })
})

describe('the arrival times', () => {
  function setUp() {
    let now = NOW
    const times = createArrivalTimes(() => now)
    let begins = 0
    times.subscribe(() => begins++)
    const pass = (ms: number) => {
      now += ms
    }
    return { times, pass, begins: () => begins }
  }
  const simulated = [{ source: SIMULATION_SOURCE }]

  it('distinguish the simulation from other sources', () => {
    const { times, pass } = setUp()
    times.noteArrived(simulated)
    expect(times.get()).toEqual({ at: NOW, fromOthersAt: undefined })
    pass(5)
    times.noteArrived([...simulated, { source: null }])
    expect(times.get()).toEqual({ at: NOW + 5, fromOthersAt: NOW + 5 })
  })

  it('of values that were read and not received live are never in the future, and do not change `fromOthersAt`', () => {
    const { times } = setUp()
    times.noteRead(NOW + 60_000)
    expect(times.get()).toEqual({ at: NOW, fromOthersAt: undefined })
  })

  it('notify when data begins to flow, and not with every value', () => {
    const { times, pass, begins } = setUp()
    for (let i = 0; i < 100; i++) times.noteArrived(simulated)
    expect(begins()).toBe(1)
    pass(FLOWING_MS + 1)
    times.noteArrived(simulated)
    expect(begins()).toBe(2)
    times.noteArrived([{ source: 'device' }])
    expect(begins()).toBe(3)
  })
})
