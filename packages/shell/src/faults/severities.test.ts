import type { FaultRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { byUrgency } from './severities.ts'

const fault = (id: string, fields: Partial<FaultRecord>) => ({ id, state: 'open', ...fields }) as FaultRecord

describe('active faults', () => {
  it('are sorted by severity, then unacknowledged first, then newest first', () => {
    const faults = [
      fault('old minor', { severity: 'minor', detectedAt: '2026-01-01T00:00:00.000Z' }),
      fault('new minor', { severity: 'minor', detectedAt: '2026-01-02T00:00:00.000Z' }),
      fault('acknowledged critical', {
        severity: 'critical',
        state: 'acknowledged',
        detectedAt: '2026-01-03T00:00:00.000Z',
      }),
      fault('info', { severity: 'info', detectedAt: '2026-01-09T00:00:00.000Z' }),
      fault('critical', { severity: 'critical', detectedAt: '2026-01-01T00:00:00.000Z' }),
    ]
    expect(faults.sort(byUrgency).map(({ id }) => id)).toEqual([
      'critical',
      'acknowledged critical',
      'new minor',
      'old minor',
      'info',
    ])
  })
})
