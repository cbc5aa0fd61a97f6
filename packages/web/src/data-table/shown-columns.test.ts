import { describe, expect, it } from 'vitest'
import { isShown, readChoice } from './shown-columns.ts'

const column = (fields: object) => ({ key: 'a', title: 'A', value: () => null, ...fields })

describe('the chosen columns', () => {
  it('hide optional columns until the user shows them', () => {
    expect(isShown(column({}), {})).toBe(true)
    expect(isShown(column({}), { a: false })).toBe(false)
    expect(isShown(column({ isOptional: true }), {})).toBe(false)
    expect(isShown(column({ isOptional: true }), { a: true })).toBe(true)
  })

  it('never hide the row header and the buttons', () => {
    expect(isShown(column({ isHeader: true }), { a: false })).toBe(true)
    expect(isShown(column({ hideTitle: true }), { a: false })).toBe(true)
  })

  it('ignore what is not a choice of columns', () => {
    for (const text of [null, 'x', 'null', '7', '{"a":1}']) expect(readChoice(text)).toEqual({})
    expect(readChoice('{"a":false,"b":2}')).toEqual({ a: false })
  })
})
