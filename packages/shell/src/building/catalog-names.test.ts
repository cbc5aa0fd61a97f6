import { elementTypes, quantityKinds, units } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { elementTypeName, quantityInWords, quantityName, unitName, unitText } from './catalog-names.ts'

const RUSSIAN = /[а-яё]/i

describe('names of the catalogs', () => {
  it('are there in both languages, each of them', () => {
    for (const { slug, name } of elementTypes) {
      expect(elementTypeName(slug, 'en')).toBe(name)
      expect(elementTypeName(slug, 'ru')).toMatch(RUSSIAN)
    }
    for (const { name } of quantityKinds) expect(quantityName(name, 'ru')).toMatch(RUSSIAN)
    for (const { name } of units) expect(unitName(name, 'ru')).toMatch(RUSSIAN)
  })

  it('stay as they are where the catalogs do not have them', () => {
    expect([elementTypeName('toString', 'ru'), unitName('FURLONG', 'ru')]).toEqual(['toString', 'FURLONG'])
  })

  it('say a unit by its sign, and in words that there is none', () => {
    expect([unitText('DEG_C', 'ru'), unitText('UNITLESS', 'en')]).toEqual(['°C', 'no unit'])
    expect([unitText('UNITLESS', 'ru'), unitText('FURLONG', 'en')]).toEqual(['без единицы', 'FURLONG'])
  })

  it('are found by what a sentence says', () => {
    expect(quantityInWords('Gas concentration', 'ru')).toBe('Концентрация газа')
    expect(quantityInWords('Gas concentration', 'en')).toBe('Gas concentration')
    expect(quantityInWords('Mood', 'ru')).toBe('Mood')
  })
})
