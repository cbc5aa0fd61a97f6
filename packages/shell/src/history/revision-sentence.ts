import { revisionSummaries } from '@storey/contract'
import type { Translate } from '@storey/web'
import type { Change } from './changes.ts'
import { historyWords } from './words.ts'

type T = Translate<typeof historyWords.en>
type Kind = Change['kind']

/**
 * What a revision did, in the reader's language; what is none of the platform's own sentences stays as it is. They name
 * a node by its name or its code; `changes`, what the revision changed, where that is known, has both.
 */
export function sentenceOf(summary: string, t: T, changes: readonly Change[] = []): string {
  const read = revisionSummaries.read(summary)
  if (!read) return summary
  const { form, parts } = read
  const named = (kind: string, word: string) => nameAndCode(kind as Kind, word, changes)
  const kindIn = (kind: string) => t(`${kind as Kind}In`)
  switch (form) {
    case 'seeded':
      return t('seeded')
    case 'created':
      return t('createdOne', { kind: kindIn(parts.kind), name: named(parts.kind, parts.name) })
    case 'changed':
      return t('changedOne', {
        kind: kindIn(parts.kind),
        name: named(parts.kind, parts.code),
        fields: fieldsOf(t, parts.fields),
      })
    case 'deleted':
      return t('deletedOne', { kind: kindIn(parts.kind), name: named(parts.kind, parts.code) })
    case 'externalIdAdded':
      return t('addedId', { kind: kindIn(parts.kind), name: named(parts.kind, parts.code), system: parts.system })
    case 'externalIdRemoved':
      return t('removedId', { kind: kindIn(parts.kind), name: named(parts.kind, parts.code), system: parts.system })
    case 'imported': {
      const [created, updated] = [Number(parts.created), Number(parts.updated)]
      return t('imported', { list: t(parts.list as `${Kind}s`), system: parts.system, created, updated })
    }
    case 'modelImported':
      return t('importedModel', parts)
    case 'modelReplaced':
      return t('replacedModel', parts)
    case 'changesetApplied':
      return t('appliedSet', parts)
    case 'changesetReverted':
      return t('revertedSet', parts)
  }
}

/** A word that several nodes bear stays alone: it does not tell which of them is meant. */
function nameAndCode(kind: Kind, word: string, changes: readonly Change[]): string {
  const found = changes.filter(
    (change) =>
      change.kind === kind && [change.before, change.after].some((node) => node?.name === word || node?.code === word),
  )
  const node = found.length === 1 ? (found[0]!.after ?? found[0]!.before) : null
  return node ? `${node.name} · ${node.code}` : word
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
