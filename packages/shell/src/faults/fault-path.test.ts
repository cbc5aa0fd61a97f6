import { describe, expect, it } from 'vitest'
import { faultPath } from './fault-path.ts'

const fault = {
  severity: 'critical',
  state: 'open',
  title: 'Zone temperature above 28 °C',
  room: 'Office 2.14',
} as const
const queryOf = (path: string) => Object.fromEntries(new URL(path, 'http://console').searchParams)

describe('the path to a fault', () => {
  it('filters by severity, room and title', () => {
    expect(queryOf(faultPath(fault))).toEqual({ severity: 'critical', where: fault.room, q: fault.title })
    expect(queryOf(faultPath({ ...fault, room: undefined }))).toEqual({ severity: 'critical', q: fault.title })
  })

  it('leads to the resolved faults if the fault is resolved', () => {
    expect(queryOf(faultPath({ ...fault, state: 'resolved' }))).toMatchObject({ show: 'past' })
  })
})
