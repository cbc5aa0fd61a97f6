import { PROBLEMS } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { problemText, problemTitle } from './problem-titles.ts'

describe('problem titles', () => {
  it('are translated for every code of the API, and unchanged for an unknown code', () => {
    for (const [code, [, title]] of Object.entries(PROBLEMS)) {
      expect(problemTitle({ code, title }, 'en')).toBe(title)
      expect(problemTitle({ code, title }, 'ru')).toMatch(/^[А-ЯЁ]/)
    }
    for (const code of ['UNKNOWN', 'toString']) expect(problemTitle({ code, title: 'Odd' }, 'ru')).toBe('Odd')
  })

  it('come with a translated text if the code is clear without the detail, otherwise with the detail of the API', () => {
    const missing = { code: 'NOT_FOUND', detail: 'No such sandbox' }
    expect(problemText(missing, 'ru')).toMatch(/^[А-ЯЁ]/)
    expect(problemText(missing, 'en')).toBe('No such sandbox')
    for (const code of ['VALIDATION_FAILED', 'toString']) expect(problemText({ code, detail: 'x' }, 'ru')).toBe('x')
  })
})
