import { StoreyError } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { fieldFaults } from './field-faults.ts'

const refusal = (status: number, members: object) =>
  new StoreyError({ type: 'about:blank', title: 'No', status, detail: 'taken', code: 'UNKNOWN', ...members })

describe('faults of fields', () => {
  it('are those that a refusal names', () => {
    const errors = [{ pointer: '/name', detail: 'too long' }]
    expect(fieldFaults(refusal(400, { code: 'VALIDATION_FAILED', errors }))).toEqual({ name: 'too long' })
  })

  it('are those that another record has already', () => {
    expect(fieldFaults(refusal(409, { code: 'CONFLICT', field: 'email' }))).toEqual({ email: 'taken' })
  })

  it('are none where nothing is named', () => {
    for (const error of [undefined, new Error('x'), refusal(404, { field: 'email' })]) {
      expect(fieldFaults(error)).toEqual({})
    }
  })
})
