import { describe, expect, it } from 'vitest'
import { mayBeOver } from './may-be-over.ts'

const within = { above: 30, below: 10 }

describe('a new value that may end a fault', () => {
  it('is within the bounds of the rule', () => {
    const fault = { kind: 'threshold', value: '31' } as const
    const over = (value: string) => mayBeOver(fault, within, value)
    expect([over('30'), over('10'), over('30.1'), over('9'), over('broken')]).toEqual([true, true, false, false, false])
    expect(mayBeOver(fault, { above: 30, below: null }, '-40')).toBe(true)
  })

  it('is any other one where the rule is not known, or nothing changed before', () => {
    expect(mayBeOver({ kind: 'threshold', value: '31' }, undefined, '31')).toBe(false)
    expect(mayBeOver({ kind: 'threshold', value: '31' }, undefined, '20')).toBe(true)
    expect(mayBeOver({ kind: 'stuck', value: '21' }, undefined, '21')).toBe(false)
    expect(mayBeOver({ kind: 'stuck', value: '21' }, undefined, '22')).toBe(true)
  })

  it('is any at all where nothing was heard, and one that says so for an alarm', () => {
    expect(mayBeOver({ kind: 'silent', value: null }, undefined, '1')).toBe(true)
    expect(mayBeOver({ kind: 'alarm', value: '1' }, undefined, 'ON')).toBe(false)
    expect(mayBeOver({ kind: 'alarm', value: '1' }, undefined, '0')).toBe(true)
  })
})
