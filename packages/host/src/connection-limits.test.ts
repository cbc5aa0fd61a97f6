import { silentLog } from '@storey/kit/log'
import { describe, expect, it } from 'vitest'
import { connectionLimits, descriptorLimit } from './connection-limits.ts'
import { readSettings } from './settings.ts'

describe('the limits of connections', () => {
  const limits = (descriptors: number, environment = {}) =>
    connectionLimits(readSettings(environment), descriptors, silentLog)

  it('[HST-33] are the configured ones if there are enough descriptors', () => {
    expect(limits(20_000)).toEqual({ total: 4_000, perAddress: 400 })
    expect(limits(Number.POSITIVE_INFINITY, { MAX_CONNECTIONS: '90000' })).toEqual({ total: 90_000, perAddress: 400 })
  })

  it('[HST-33] are lower if descriptors are few, to leave descriptors for stacks and the control database', () => {
    expect(limits(1_024)).toEqual({ total: 307, perAddress: 77 })
    expect(limits(20_000, { MAX_CONNECTIONS: '50000' }).total).toBe(6_000)
  })

  it('depend on the open file limit of this process, which can be read', () => {
    expect(descriptorLimit()).toBeGreaterThan(100)
  })
})
