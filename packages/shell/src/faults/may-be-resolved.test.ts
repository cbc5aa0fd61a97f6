import { describe, expect, it } from 'vitest'
import { mayBeResolved } from './may-be-resolved.ts'

const within = { above: 30, below: 10 }

describe('a value that may resolve a fault', () => {
  it('is within the bounds of a threshold rule', () => {
    const fault = { kind: 'threshold', value: '31' } as const
    const resolves = (value: string) => mayBeResolved(fault, within, value)
    expect([resolves('30'), resolves('10'), resolves('30.1'), resolves('9'), resolves('broken')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(mayBeResolved(fault, { above: 30, below: null }, '-40')).toBe(true)
  })

  it('is any other value if the rule is unknown, or if the point was stuck', () => {
    expect(mayBeResolved({ kind: 'threshold', value: '31' }, undefined, '31')).toBe(false)
    expect(mayBeResolved({ kind: 'threshold', value: '31' }, undefined, '20')).toBe(true)
    expect(mayBeResolved({ kind: 'stuck', value: '21' }, undefined, '21')).toBe(false)
    expect(mayBeResolved({ kind: 'stuck', value: '21' }, undefined, '22')).toBe(true)
  })

  it('is any value for a silent point, and an off value for an alarm', () => {
    expect(mayBeResolved({ kind: 'silent', value: null }, undefined, '1')).toBe(true)
    expect(mayBeResolved({ kind: 'alarm', value: '1' }, undefined, 'ON')).toBe(false)
    expect(mayBeResolved({ kind: 'alarm', value: '1' }, undefined, '0')).toBe(true)
  })
})
