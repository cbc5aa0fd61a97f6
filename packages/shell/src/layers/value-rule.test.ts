import { describe, expect, it } from 'vitest'
import { ruleOf, schemaOf, type ValueRule } from './value-rule.ts'

describe('the rule of a layer', () => {
  it.each<['NUMBER' | 'STRING' | 'ENUM', ValueRule]>([
    ['NUMBER', { kind: 'number', min: 0, max: 100, isWhole: false }],
    ['NUMBER', { kind: 'number', max: 10, isWhole: true }],
    ['STRING', { kind: 'text', maxLength: 40 }],
    ['ENUM', { kind: 'choices', values: ['good', 'poor'] }],
  ])('is written as a JSON Schema and read again: %s %j', (type, rule) => {
    expect(ruleOf(type, schemaOf(rule))).toEqual(rule)
  })

  it('has no schema if it accepts every value', () => {
    expect(schemaOf({ kind: 'any' })).toBeNull()
    expect(schemaOf({ kind: 'number', isWhole: false })).toBeNull()
    expect(ruleOf('NUMBER', null)).toEqual({ kind: 'any' })
    expect(ruleOf('NUMBER', { type: 'number' })).toEqual({ kind: 'any' })
  })

  it('is read from a schema with its fields in any order, and from an enum without a type', () => {
    expect(ruleOf('NUMBER', { type: 'number', maximum: 5, minimum: 1 })).toMatchObject({
      kind: 'number',
      min: 1,
      max: 5,
    })
    expect(ruleOf('ENUM', { enum: ['a'] })).toEqual({ kind: 'choices', values: ['a'] })
  })

  it.each([
    ['NUMBER', { type: 'number', multipleOf: 5 }],
    ['NUMBER', { type: 'number', minimum: '1' }],
    ['STRING', { type: 'string', pattern: '^A' }],
    ['STRING', { type: 'string', maxLength: 5, enum: ['a'] }],
    ['BOOLEAN', { const: true }],
  ] as const)('keeps a schema that the form cannot show: %s %j', (type, schema) => {
    expect(ruleOf(type, schema)).toEqual({ kind: 'schema', schema })
  })
})
