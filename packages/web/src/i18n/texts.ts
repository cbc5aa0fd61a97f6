import { type Locale, useLocale } from './locale.ts'

/**
 * The plural forms of a text with the number `n`. English uses `one` and `other`; Russian uses `one`, `few`, `many` and
 * `other`.
 */
export type PluralForms = { other: string } & Partial<Record<'zero' | 'one' | 'two' | 'few' | 'many', string>>
type Dictionary = Record<string, string | PluralForms>

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never
type PlaceholdersOf<Entry> = Entry extends string
  ? Placeholders<Entry>
  : Entry extends { other: infer O extends string }
    ? 'n' | Placeholders<O>
    : never

/** The same keys in Russian: a string for a string, plural forms for plural forms. */
type Translated<En extends Dictionary> = { [Key in keyof En]: En[Key] extends string ? string : PluralForms }

export interface Texts<En extends Dictionary> {
  en: En
  ru: Translated<En>
}

/** Returns the text of a key with its placeholders filled. The compiler rejects an unknown key and a missing value. */
export type Translate<En extends Dictionary> = <Key extends keyof En & string>(
  key: Key,
  ...values: [PlaceholdersOf<En[Key]>] extends [never] ? [] : [Record<PlaceholdersOf<En[Key]>, string | number>]
) => string

export const defineTexts = <const En extends Dictionary>(en: En, ru: Translated<En>): Texts<En> => ({ en, ru })

export function translator<En extends Dictionary>(texts: Texts<En>, locale: Locale): Translate<En> {
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  return (key, ...[given]) => {
    const entry: string | PluralForms = texts[locale][key]
    const values = (given ?? {}) as Record<string, string | number>
    const text = typeof entry === 'string' ? entry : (entry[plurals.select(Number(values.n))] ?? entry.other)
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name]
      return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
    })
  }
}

/** Translators are slow to create, and a long table uses several in each row, so they are cached here. */
const translators = new WeakMap<object, unknown>()

export function useTexts<En extends Dictionary>(texts: Texts<En>): Translate<En> {
  const dictionary = texts[useLocale()]
  const known = translators.get(dictionary) as Translate<En> | undefined
  const translate = known ?? translator(texts, dictionary === texts.en ? 'en' : 'ru')
  translators.set(dictionary, translate)
  return translate
}
