import { progressSteps } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { translateStep } from './translate-step.ts'

describe('progress steps', () => {
  it('are translated to Russian', () => {
    const translated = (step: string) => translateStep(step, 'ru')
    expect(translated(progressSteps.format('indexing', {}))).toBe('Построение индексов')
    expect(translated('Creating the database')).toBe('Создание базы данных')
    expect(translated('Writing equipment: 1,250')).toBe('Запись: оборудование, 1\u00a0250')
    expect(translated('Writing the history of 2026-11-03')).toBe('Запись истории за 03.11.2026')
  })

  it('are unchanged in English, and when the step is unknown', () => {
    expect(translateStep('Waiting', 'en')).toBe('Waiting')
    expect(translateStep('Unknown step', 'ru')).toBe('Unknown step')
  })
})
