import { expect, it } from 'vitest'
import { failureReason } from './failure-reasons.ts'
import { leftOutReason } from './left-out-reasons.ts'

it('translates the reasons of the API', () => {
  expect(failureReason('Line 8 of the file has an empty argument', 'ru')).toBe('В строке 8 файла пустой аргумент')
  expect(failureReason('The schema IFC5 is not supported: use IFC2X3, IFC4 or IFC4X3', 'ru')).toContain('IFC5')
  for (const times of ['twice', '4 times'])
    expect(failureReason(`The process that reads the model crashed ${times}`, 'ru')).toContain('аварийно')
  expect(failureReason('The model needs more than 1024 MB of memory', 'ru')).toBe(
    'Для чтения модели нужно больше 1024 МБ памяти',
  )
  expect(failureReason('The model could not be read because of an internal error', 'ru')).toContain('внутренней ошибки')
  expect(leftOutReason('furniture is not imported', 'ru')).toBe('мебель не импортируется')
})

it('returns unknown reasons unchanged, and all reasons on an English page', () => {
  expect(failureReason('Something new', 'ru')).toBe('Something new')
  expect(failureReason('The file is empty', 'en')).toBe('The file is empty')
  expect(leftOutReason('Something new', 'ru')).toBe('Something new')
})
