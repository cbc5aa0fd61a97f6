import { elementTypes, quantityKinds, units } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { elementTypeName, quantityName, translateQuantity, unitName, unitText } from './catalog-names.ts'

const RUSSIAN = /[а-яё]/i

describe('catalog names', () => {
  it('exist in both languages', () => {
    for (const { slug, name } of elementTypes) {
      expect(elementTypeName(slug, 'en')).toBe(name)
      expect(elementTypeName(slug, 'ru')).toMatch(RUSSIAN)
    }
    for (const { name } of quantityKinds) expect(quantityName(name, 'ru')).toMatch(RUSSIAN)
    for (const { name } of units) expect(unitName(name, 'ru')).toMatch(RUSSIAN)
  })

  it('are the key itself if no catalog has the key', () => {
    expect([elementTypeName('toString', 'ru'), unitName('FURLONG', 'ru')]).toEqual(['toString', 'FURLONG'])
  })

  it('show a unit by its symbol, or by its name if it has no symbol', () => {
    expect([unitText('DEG_C', 'ru'), unitText('UNITLESS', 'en')]).toEqual(['°C', 'no unit'])
    expect([unitText('UNITLESS', 'ru'), unitText('FURLONG', 'en')]).toEqual(['без единицы', 'FURLONG'])
  })

  it('of quantities are found by their English labels, and unknown labels stay as they are', () => {
    expect(translateQuantity('Gas concentration', 'ru')).toBe('Концентрация газа')
    expect(translateQuantity('Gas concentration', 'en')).toBe('Gas concentration')
    expect(translateQuantity('Mood', 'ru')).toBe('Mood')
  })
})
