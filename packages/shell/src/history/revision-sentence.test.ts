import type { Locale, Translate } from '@storey/web'
import { describe, expect, it } from 'vitest'
import type { Change } from './changes.ts'
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

  it('names a node by name and code, where what changed is known', () => {
    const node = (name: string, code: string) => ({ name, code }) as NonNullable<Change['after']>
    const change = (before: Change['before'], after: Change['after']) =>
      ({ kind: 'space', before, after }) as unknown as Change
    const said = (summary: string, ...changes: Change[]) => sentenceOf(summary, en, changes)
    expect(said('Deleted the space 1-04', change(node('Library', '1-04'), null))).toBe('Removed: room Library · 1-04')
    expect(said('Created the space Library', change(null, node('Library', '1-04')))).toBe('Added: room Library · 1-04')
    expect(said('Changed name of the space 1-04', change(node('Store', '1-04'), node('Library', '1-04')))).toBe(
      'Changed: room Library · 1-04 (Name)',
    )
    expect(said('Deleted the element 1-04', change(node('Library', '1-04'), null))).toBe('Removed: equipment 1-04')
  })

  it('stays as it is where its form is not known', () => {
    for (const summary of ['Painted the storey', 'Created the toString x', ''])
      expect(sentenceOf(summary, ru)).toBe(summary)
  })
})
