import type { FaultRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { byUrgency } from './severities.ts'

const fault = (id: string, further: Partial<FaultRecord>) => ({ id, state: 'open', ...further }) as FaultRecord

describe('faults that go on', () => {
  it('stand by severity, then whether anybody looks after them, then age', () => {
    const faults = [
      fault('old minor', { severity: 'minor', detectedAt: '2026-01-01T00:00:00.000Z' }),
      fault('new minor', { severity: 'minor', detectedAt: '2026-01-02T00:00:00.000Z' }),
      fault('seen critical', { severity: 'critical', state: 'acknowledged', detectedAt: '2026-01-03T00:00:00.000Z' }),
      fault('info', { severity: 'info', detectedAt: '2026-01-09T00:00:00.000Z' }),
      fault('critical', { severity: 'critical', detectedAt: '2026-01-01T00:00:00.000Z' }),
    ]
    expect(faults.sort(byUrgency).map(({ id }) => id)).toEqual([
      'critical',
      'seen critical',
      'new minor',
      'old minor',
      'info',
    ])
  })
})
