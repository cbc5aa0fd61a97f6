import { describe, expect, it } from 'vitest'
import { readValue } from './read-value.ts'
import type { ValueRule } from './value-rule.ts'

const ANY: ValueRule = { kind: 'any' }

describe('readValue', () => {
  it('reads yes and no in English and Russian', () => {
    for (const text of ['yes', 'TRUE', '1', 'Да']) expect(readValue(text, 'BOOLEAN', ANY, '.')).toEqual({ value: true })
    for (const text of ['no', 'False', '0', 'нет'])
      expect(readValue(text, 'BOOLEAN', ANY, '.')).toEqual({ value: false })
    expect(readValue('maybe', 'BOOLEAN', ANY, '.')).toEqual({ reason: 'notYesOrNo' })
  })

  it('accepts a number only if the rule of the layer allows it', () => {
    const rule: ValueRule = { kind: 'number', min: 0, max: 10, isWhole: true }
    const read = (text: string) => readValue(text, 'NUMBER', rule, '.')
    expect(read('7')).toEqual({ value: 7 })
    expect(read('x')).toEqual({ reason: 'notNumber' })
    expect(read('1.5')).toEqual({ reason: 'notWhole' })
    expect(read('-1')).toEqual({ reason: 'tooSmall', limit: 0 })
    expect(read('11')).toEqual({ reason: 'tooLarge', limit: 10 })
  })

  it('accepts only the choices of the rule, in any letter case if that is unambiguous', () => {
    const read = (text: string, values: string[]) => readValue(text, 'ENUM', { kind: 'choices', values }, '.')
    expect(read('Good', ['good', 'poor'])).toEqual({ value: 'good' })
    expect(read('Good', ['good', 'GOOD'])).toMatchObject({ reason: 'notAChoice' })
    expect(read('bad', ['good'])).toEqual({ reason: 'notAChoice', choices: ['good'] })
  })

  it('accepts a text of at most the maximum length, and counts an emoji as one character', () => {
    expect(readValue('😀😀', 'STRING', { kind: 'text', maxLength: 2 }, '.')).toEqual({ value: '😀😀' })
    expect(readValue('abc', 'STRING', { kind: 'text', maxLength: 2 }, '.')).toEqual({ reason: 'tooLong', limit: 2 })
    expect(readValue('12', 'STRING', ANY, '.')).toEqual({ value: '12' })
  })
})
