import { StoreyError } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { fieldErrors } from './field-errors.ts'

const refusal = (status: number, members: object) =>
  new StoreyError({ type: 'about:blank', title: 'No', status, detail: 'taken', code: 'UNKNOWN', ...members })

describe('field errors', () => {
  it('come from the errors of a problem', () => {
    const errors = [{ pointer: '/name', detail: 'too long' }]
    expect(fieldErrors(refusal(400, { code: 'VALIDATION_FAILED', errors }))).toEqual({ name: 'too long' })
  })

  it('come from the field of a conflict', () => {
    expect(fieldErrors(refusal(409, { code: 'CONFLICT', field: 'email' }))).toEqual({ email: 'taken' })
  })

  it('are empty for an error that is neither a validation error nor a conflict', () => {
    for (const error of [undefined, new Error('x'), refusal(404, { field: 'email' })]) {
      expect(fieldErrors(error)).toEqual({})
    }
  })
})
