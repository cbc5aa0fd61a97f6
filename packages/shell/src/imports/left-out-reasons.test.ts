import { expect, it } from 'vitest'
import { leftOutReason } from './left-out-reasons.ts'

it('returns a known reason in the language of the page, and an unknown reason unchanged', () => {
  expect(leftOutReason('a zone, not a room', 'ru')).toBe('зона, а не помещение')
  expect(leftOutReason('a zone, not a room', 'en')).toBe('a zone, not a room')
  expect(leftOutReason('its GlobalId belongs to a node of another kind: element', 'ru')).toBe(
    'GlobalId относится к записи другого вида',
  )
  expect(leftOutReason('its storey is left out', 'ru')).toBe('этаж не импортирован')
  expect(leftOutReason('the class is not part of IFC2X3', 'ru')).toBe('в схеме IFC2X3 нет такого класса')
  expect(leftOutReason('its space was removed', 'ru')).toBe('помещение удалено')
  expect(leftOutReason('its element was removed', 'ru')).toBe('оборудование удалено')
  for (const storey of ['the one it was in', 'its previous storey']) {
    const reason = `the model has no storey with the GlobalId of ${storey}`
    expect(leftOutReason(reason, 'ru')).toBe('в модели нет этажа с прежним GlobalId')
  }
  expect(leftOutReason('a new reason', 'ru')).toBe('a new reason')
})
