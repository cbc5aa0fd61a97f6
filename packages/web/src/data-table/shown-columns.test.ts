import { describe, expect, it } from 'vitest'
import { isShown, readChoice } from './shown-columns.ts'

const column = (fields: object) => ({ key: 'a', title: 'A', value: () => null, ...fields })

describe('the choice of columns', () => {
  it('leaves optional columns hidden until the user shows them', () => {
    expect(isShown(column({}), {})).toBe(true)
    expect(isShown(column({}), { a: false })).toBe(false)
    expect(isShown(column({ isOptional: true }), {})).toBe(false)
    expect(isShown(column({ isOptional: true }), { a: true })).toBe(true)
  })

  it('cannot hide the row header and the buttons', () => {
    expect(isShown(column({ isHeader: true }), { a: false })).toBe(true)
    expect(isShown(column({ hideTitle: true }), { a: false })).toBe(true)
  })

  it('has only the valid entries of the stored text', () => {
    for (const text of [null, 'x', 'null', '7', '{"a":1}']) expect(readChoice(text)).toEqual({})
    expect(readChoice('{"a":false,"b":2}')).toEqual({ a: false })
  })
})
