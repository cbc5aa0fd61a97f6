import type { Locale, Translate } from '@storey/web'
import { describe, expect, it } from 'vitest'
import type { Change } from './changes.ts'
import { revisionText } from './revision-text.ts'
import { historyTexts } from './texts.ts'

/** A translate function that fills the placeholders. */
const translateTo = (locale: Locale) =>
  ((key: keyof typeof historyTexts.en, values: Record<string, string | number> = {}) =>
    (historyTexts[locale][key] as string).replace(/\{(\w+)\}/g, (_, name: string) =>
      String(values[name]),
    )) as Translate<typeof historyTexts.en>
const en = translateTo('en')
const ru = translateTo('ru')

describe('the text of a revision', () => {
  it('is translated', () => {
    const texts = (summary: string) => [revisionText(summary, en, 'en'), revisionText(summary, ru, 'ru')]
    expect(texts('Created the space Library of the west')).toEqual([
      'Added: room Library of the west',
      'Добавлено: помещение Library of the west',
    ])
    expect(texts('Changed name, areaSqm of the space 1-04')).toEqual([
      'Changed: room 1-04 (Name, Area, m²)',
      'Изменено: помещение 1-04 (Название, Площадь, м²)',
    ])
    expect(texts('Added an external id of CAFM to the element AHU-1')[1]).toBe(
      'Добавлен внешний ID из CAFM: оборудование AHU-1',
    )
    expect(texts('Imported 12 spaces of CAFM: 12 created, 2 updated')[0]).toBe(
      'Imported from CAFM: rooms; 12 added, 2 changed',
    )
    expect(texts('Applied changeset Of the {kind} of $1')[1]).toBe('Применён набор изменений «Of the {kind} of $1»')
    expect(texts('The building as it was seeded')[1]).toBe('Здание создано')
  })

  it('shows name and code of a node if the changes are known', () => {
    const node = (name: string, code: string) => ({ name, code }) as NonNullable<Change['after']>
    const change = (before: Change['before'], after: Change['after']) =>
      ({ kind: 'space', before, after }) as unknown as Change
    const text = (summary: string, ...changes: Change[]) => revisionText(summary, en, 'en', changes)
    expect(text('Deleted the space 1-04', change(node('Library', '1-04'), null))).toBe('Removed: room Library · 1-04')
    expect(text('Created the space Library', change(null, node('Library', '1-04')))).toBe('Added: room Library · 1-04')
    expect(text('Changed name of the space 1-04', change(node('Store', '1-04'), node('Library', '1-04')))).toBe(
      'Changed: room Library · 1-04 (Name)',
    )
    expect(text('Deleted the element 1-04', change(node('Library', '1-04'), null))).toBe('Removed: equipment 1-04')
  })

  it('is the summary itself if its form is unknown', () => {
    for (const summary of ['Painted the storey', 'Created the toString x', ''])
      expect(revisionText(summary, ru, 'ru')).toBe(summary)
  })
})
