import { expect, it } from 'vitest'
import { type FieldError, MAX_FIELD_ERRORS, problems } from './problems.ts'

it('VALIDATION_FAILED lists the first errors, up to a limit', () => {
  const all = Array.from({ length: 50 }, (_, i): FieldError => ({ pointer: `/${i}`, in: 'body', detail: `${i}` }))
  const { members, message } = problems.validation(all)
  expect(members.errors).toEqual(all.slice(0, MAX_FIELD_ERRORS))
  expect(message.split('; ')).toHaveLength(MAX_FIELD_ERRORS)
})
