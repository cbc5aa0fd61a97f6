import { PROBLEMS } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { problemText, problemTitle } from './problem-titles.ts'

describe('the title of a problem', () => {
  it('is Russian for every code of the API, and as it came where the code is none of those', () => {
    for (const [code, [, title]] of Object.entries(PROBLEMS)) {
      expect(problemTitle({ code, title }, 'en')).toBe(title)
      expect(problemTitle({ code, title }, 'ru')).toMatch(/^[А-ЯЁ]/)
    }
    for (const code of ['UNKNOWN', 'toString']) expect(problemTitle({ code, title: 'Odd' }, 'ru')).toBe('Odd')
  })

  it('has a Russian text below it where the code says it all, and the text of the API where that names a field', () => {
    const missing = { code: 'NOT_FOUND', detail: 'No such sandbox' }
    expect(problemText(missing, 'ru')).toMatch(/^[А-ЯЁ]/)
    expect(problemText(missing, 'en')).toBe('No such sandbox')
    for (const code of ['VALIDATION_FAILED', 'toString']) expect(problemText({ code, detail: 'x' }, 'ru')).toBe('x')
  })
})
