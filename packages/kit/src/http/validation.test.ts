import { closed } from '@storey/contract'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { createBodyCheck } from './validation.ts'

describe('validation of a part of a body', () => {
  const check = createBodyCheck(
    Type.Object({ name: Type.String({ minLength: 1 }), at: Type.Optional(Type.Array(Type.Integer())) }, closed),
  )

  it('finds no error in a valid value', () => {
    expect(check({ name: 'x', at: [1, 2] })).toEqual([])
  })

  it('names each invalid field by a pointer that is relative to the value', () => {
    expect(check({ at: [1, 'two'], 'a/b': 1 })).toEqual([
      { pointer: '/name', in: 'body', detail: 'name is required' },
      { pointer: '/a~1b', in: 'body', detail: 'a/b is not a known field' },
      { pointer: '/at/1', in: 'body', detail: 'at.1 must be integer' },
    ])
    expect(check(null)).toEqual([{ pointer: '', in: 'body', detail: 'the body must be object' }])
  })

  it('keeps no errors of the previous value', () => {
    expect(check({})).toHaveLength(1)
    expect(check({ name: 'x' })).toEqual([])
  })
})
