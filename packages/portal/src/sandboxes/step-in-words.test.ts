import { progressSteps } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { stepInWords } from './step-in-words.ts'

describe('how far a sandbox is', () => {
  it('is said in Russian', () => {
    const said = (step: string) => stepInWords(step, 'ru')
    expect(said(progressSteps.say('indexing', {}))).toBe('Строим указатели')
    expect(said('Writing 1,250 pieces of equipment')).toBe('Записываем: оборудование, 1\u00a0250')
    expect(said('Writing the history of 2026-11-03')).toBe('Записываем историю за 03.11.2026')
  })

  it('stays as it is in English, and where it is not known', () => {
    expect(stepInWords('Waiting', 'en')).toBe('Waiting')
    expect(stepInWords('Having lunch', 'ru')).toBe('Having lunch')
  })
})
