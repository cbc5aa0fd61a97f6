import type { Translate } from '@storey/web'
import { historyWords } from './words.ts'

type T = Translate<typeof historyWords.en>
type Kind = 'storey' | 'space' | 'element' | 'point'
type Parts = Record<string, string>

const KIND = '(?<kind>storey|space|element|point)'
const kindOf = ({ kind }: Parts) => `${kind as Kind}In` as const

/**
 * What the platform writes of a revision, form by form. It says it in English alone, and the record has no parts of
 * which a sentence could be made.
 */
const FORMS: readonly [form: RegExp, say: (t: T, parts: Parts) => string][] = [
  [/^The building as it was seeded$/, (t) => t('seeded')],
  [
    new RegExp(`^Created the ${KIND} (?<name>.+)$`, 'su'),
    (t, p) => t('createdOne', { kind: t(kindOf(p)), name: p.name! }),
  ],
  [
    new RegExp(`^Changed (?<fields>\\w+(?:, \\w+)*) of the ${KIND} (?<name>.+)$`, 'su'),
    (t, p) => t('changedOne', { kind: t(kindOf(p)), name: p.name!, fields: fieldsOf(t, p.fields!) }),
  ],
  [
    new RegExp(`^Deleted the ${KIND} (?<name>.+)$`, 'su'),
    (t, p) => t('deletedOne', { kind: t(kindOf(p)), name: p.name! }),
  ],
  [
    new RegExp(`^Added an external id of (?<system>.+) to the ${KIND} (?<name>\\S+)$`, 'su'),
    (t, p) => t('addedId', { kind: t(kindOf(p)), name: p.name!, system: p.system! }),
  ],
  [
    new RegExp(`^Removed an external id of (?<system>.+) from the ${KIND} (?<name>\\S+)$`, 'su'),
    (t, p) => t('removedId', { kind: t(kindOf(p)), name: p.name!, system: p.system! }),
  ],
  [
    /^Imported \d+ (?<list>storeys|spaces|elements|points) of (?<system>.+): (?<created>\d+) created, (?<updated>\d+) updated$/su,
    (t, { list, system, created, updated }) =>
      t('imported', {
        list: t(list as `${Kind}s`),
        system: system!,
        created: Number(created),
        updated: Number(updated),
      }),
  ],
  [/^Imported a building model \((?<schema>.+)\)$/su, (t, { schema }) => t('importedModel', { schema: schema! })],
  [/^Replaced the building model \((?<schema>.+)\)$/su, (t, { schema }) => t('replacedModel', { schema: schema! })],
  [/^Applied changeset (?<title>.+)$/su, (t, { title }) => t('appliedSet', { title: title! })],
  [/^Reverted changeset (?<title>.+)$/su, (t, { title }) => t('revertedSet', { title: title! })],
]

/** What a revision did, in the reader's language; a form that is not known here stays as it is. */
export function sentenceOf(summary: string, t: T): string {
  for (const [form, say] of FORMS) {
    const found = form.exec(summary)
    if (found) return say(t, { ...found.groups })
  }
  return summary
}

const fieldsOf = (t: T, fields: string): string =>
  fields
    .split(', ')
    .map((field) => fieldName(t, field))
    .join(', ')

/** As people call a field; one that is not known here stays as it is. */
export function fieldName(t: T, field: string): string {
  const entry = Object.hasOwn(historyWords.en, field)
    ? historyWords.en[field as keyof typeof historyWords.en]
    : undefined
  return typeof entry === 'string' ? (t as (key: string) => string)(field) : field
}
