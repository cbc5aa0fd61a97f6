import { expect, it } from 'vitest'
import { leftOutReason } from './left-out-reasons.ts'

it('returns a known reason in the language of the page, and others unchanged', () => {
  expect(leftOutReason('a zone, not a room', 'ru')).toBe('зона, а не помещение')
  expect(leftOutReason('a zone, not a room', 'en')).toBe('a zone, not a room')
  expect(leftOutReason('its GlobalId belongs to a node of another kind: element', 'ru')).toBe(
    'GlobalId относится к записи другого вида',
  )
  expect(leftOutReason('a new reason', 'ru')).toBe('a new reason')
})
