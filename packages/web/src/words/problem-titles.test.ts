import { PROBLEMS } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { problemTitle } from './problem-titles.ts'

describe('the title of a problem', () => {
  it('is Russian for every code of the API, and as it came where the code is none of those', () => {
    for (const [code, [, title]] of Object.entries(PROBLEMS)) {
      expect(problemTitle({ code, title }, 'en')).toBe(title)
      expect(problemTitle({ code, title }, 'ru')).toMatch(/^[А-ЯЁ]/)
    }
    for (const code of ['UNKNOWN', 'toString']) expect(problemTitle({ code, title: 'Odd' }, 'ru')).toBe('Odd')
  })
})
