import { expect, it } from 'vitest'
import { formatBody } from './format-body.ts'

it('formats JSON, and leaves other texts and truncated JSON unchanged', () => {
  expect(formatBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(['Not found', '{"a":[1', ''].map(formatBody)).toEqual(['Not found', '{"a":[1', ''])
})
