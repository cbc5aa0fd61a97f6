import { expect, it } from 'vitest'
import { refusedValue } from './refused-value.ts'

const problem = (code: string, detail: string) =>
  ({ type: '', title: 'Mismatch', status: 422, code, detail }) as Parameters<typeof refusedValue>[0]

it('explains in the language of the page why a value is refused', () => {
  const detail = 'The value of "L00-R01" does not match valueSchema: it must be <= 5'
  expect(refusedValue(problem('VALUE_SCHEMA_MISMATCH', detail), 'en')).toBe(detail)
  expect(refusedValue(problem('VALUE_SCHEMA_MISMATCH', detail), 'ru')).toBe(
    'Значение не соответствует схеме слоя: не больше 5',
  )
  expect(refusedValue(problem('VALUE_TYPE_MISMATCH', 'The value of "a" is a text'), 'ru')).toBe(
    'Тип значения не совпадает с типом слоя',
  )
})
