import { expect, it } from 'vitest'
import { failureReason } from './failure-reasons.ts'
import { leftOutReason } from './left-out-reasons.ts'

it('translates the reasons of the API', () => {
  expect(failureReason('Line 8 of the file has an empty argument', 'ru')).toBe('В строке 8 файла пустой аргумент')
  expect(failureReason('The schema IFC5 is not supported: use IFC2X3, IFC4 or IFC4X3', 'ru')).toContain('IFC5')
  expect(leftOutReason('furniture is not imported', 'ru')).toBe('мебель не импортируется')
})

it('keeps reasons that it does not know, and English pages', () => {
  expect(failureReason('Something new', 'ru')).toBe('Something new')
  expect(failureReason('The file is empty', 'en')).toBe('The file is empty')
  expect(leftOutReason('Something new', 'ru')).toBe('Something new')
})
