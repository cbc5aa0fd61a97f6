import { expect, it } from 'vitest'
import { refusalReason } from './refusal-reasons.ts'

const russian = (detail: string) => refusalReason(detail, 'ru', (index) => index + 2)

it('translates why the API refuses a row', () => {
  expect(russian('code A-1 is already used in this building')).toBe('Код A-1 в этом здании уже есть')
  expect(russian('unit PA does not fit Temperature: use DEG_C, K')).toBe(
    'Единица PA не подходит к величине Temperature. Подходят: DEG_C, K',
  )
  expect(russian('storeyExternalId L9 matches no storey of this building')).toBe('В здании нет этажа L9')
  expect(russian('name must NOT have more than 200 characters')).toBe('Не больше 200 символов')
  expect(russian('areaSqm must be >= 0')).toBe('Не меньше 0')
  expect(russian('spaceId or storeyId is required: an element is in a space or on a storey')).toBe('Обязательное поле')
})

it('names other rows by their numbers in the spreadsheet', () => {
  const detail = 'code A-1 is already used in the row with index 3'
  expect(russian(detail)).toBe('A-1 уже есть: строка 5')
  expect(refusalReason(detail, 'en', (index) => index + 2)).toBe('code A-1 is already used in row 5')
})

it('returns unknown reasons unchanged', () => {
  expect(russian('Something new')).toBe('Something new')
})
