import type { FaultRecord } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import type { BuildingModel } from '../building/model.ts'
import { countFaults } from './count-faults.ts'
import { faultIndex, faultMark } from './fault-index.ts'

const fault = (id: string, changes: Partial<FaultRecord> = {}) =>
  ({
    id,
    severity: 'minor',
    state: 'open',
    pointId: 'point',
    elementId: 'element',
    detectedAt: '2026-01-01',
    ...changes,
  }) as FaultRecord
const model = {
  spaceOf: (id: string) => (id === 'point' ? { id: 'room' } : undefined),
  storeyOf: () => ({ id: 'storey' }),
} as unknown as BuildingModel

describe('the index of faults', () => {
  const minor = fault('minor')
  const critical = fault('critical', { severity: 'critical', state: 'acknowledged' })
  const elsewhere = fault('elsewhere', { severity: 'info', pointId: null, elementId: 'fan' })
  const index = faultIndex([minor, elsewhere, critical], model)

  it('lists each fault at its point, element, room and storey, and lists the most urgent faults first', () => {
    expect(index.all.map(({ id }) => id)).toEqual(['critical', 'minor', 'elsewhere'])
    for (const id of ['point', 'element', 'room']) expect(index.at(id)).toEqual([critical, minor])
    expect(index.at('fan')).toEqual([elsewhere])
    expect(index.at('storey')).toEqual([critical, minor, elsewhere])
    expect(index.at('nowhere')).toEqual([])
  })

  it('marks a node by its most severe open fault, or as acknowledged if all its faults are acknowledged', () => {
    expect(faultMark(index.at('room'))).toEqual({ severity: 'minor', isAcknowledged: false, count: 2 })
    expect(faultMark([critical])).toEqual({ severity: 'critical', isAcknowledged: true, count: 1 })
    expect(faultMark([])).toBeUndefined()
  })

  it('counts by state and severity', () => {
    const resolved = fault('resolved', { state: 'resolved' })
    expect(countFaults([...index.all, resolved])).toEqual({
      open: { info: 1, minor: 1, major: 0, critical: 0 },
      acknowledged: { info: 0, minor: 0, major: 0, critical: 1 },
      total: 3,
    })
  })
})
