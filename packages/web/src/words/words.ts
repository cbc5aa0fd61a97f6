import { useMemo } from 'react'
import { type Locale, useLocale } from './locale.ts'

/** Forms of a text that counts `n`. Russian has one, few and many; English one and other. */
export type PluralForms = { other: string } & Partial<Record<'zero' | 'one' | 'two' | 'few' | 'many', string>>
type Dictionary = Record<string, string | PluralForms>

type Slots<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Slots<Rest> : never
type SlotsOf<Entry> = Entry extends string
  ? Slots<Entry>
  : Entry extends { other: infer O extends string }
    ? 'n' | Slots<O>
    : never

/** The same keys in Russian, each of the same kind. */
type Translated<En extends Dictionary> = { [Key in keyof En]: En[Key] extends string ? string : PluralForms }

export interface Words<En extends Dictionary> {
  en: En
  ru: Translated<En>
}

/** The text of a key, with its slots filled. A key, or a slot, that is not there is an error of the types. */
export type Translate<En extends Dictionary> = <Key extends keyof En & string>(
  key: Key,
  ...slots: [SlotsOf<En[Key]>] extends [never] ? [] : [Record<SlotsOf<En[Key]>, string | number>]
) => string

export const defineWords = <const En extends Dictionary>(en: En, ru: Translated<En>): Words<En> => ({ en, ru })

export function translator<En extends Dictionary>(words: Words<En>, locale: Locale): Translate<En> {
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  return (key, ...[slots]) => {
    const entry: string | PluralForms = words[locale][key]
    const values = (slots ?? {}) as Record<string, string | number>
    const text = typeof entry === 'string' ? entry : (entry[plurals.select(Number(values.n))] ?? entry.other)
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name]
      return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
    })
  }
}

export function useWords<En extends Dictionary>(words: Words<En>): Translate<En> {
  const locale = useLocale()
  return useMemo(() => translator(words, locale), [words, locale])
}
