import type { Locale, Translate } from '@storey/web'
import { describe, expect, it } from 'vitest'
import { sentenceOf } from './revision-sentence.ts'
import { historyWords } from './words.ts'

/** Fills the slots, as the apps do. */
const speaking = (locale: Locale) =>
  ((key: keyof typeof historyWords.en, slots: Record<string, string | number> = {}) =>
    (historyWords[locale][key] as string).replace(/\{(\w+)\}/g, (_, name: string) => String(slots[name]))) as Translate<
    typeof historyWords.en
  >
const en = speaking('en')
const ru = speaking('ru')

describe('what a revision did', () => {
  it('is said in the language of the reader', () => {
    const said = (summary: string) => [sentenceOf(summary, en), sentenceOf(summary, ru)]
    expect(said('Created the space Library of the west')).toEqual([
      'Added: room Library of the west',
      'Добавлено: помещение Library of the west',
    ])
    expect(said('Changed name, areaSqm of the space 1-04')).toEqual([
      'Changed: room 1-04 (Name, Area, m²)',
      'Изменено: помещение 1-04 (Имя, Площадь, м²)',
    ])
    expect(said('Added an external id of CAFM to the element AHU-1')[1]).toBe(
      'Добавлен внешний номер из CAFM: оборудование AHU-1',
    )
    expect(said('Imported 12 spaces of CAFM: 12 created, 2 updated')[0]).toBe(
      'Imported from CAFM: rooms; 12 added, 2 changed',
    )
    expect(said('Applied changeset Of the {kind} of $1')[1]).toBe('Применён набор изменений «Of the {kind} of $1»')
    expect(said('The building as it was seeded')[1]).toBe('Здание, каким оно создано')
  })

  it('stays as it is where its form is not known', () => {
    for (const summary of ['Painted the storey', 'Created the toString x', ''])
      expect(sentenceOf(summary, ru)).toBe(summary)
  })
})
