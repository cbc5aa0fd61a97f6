import { revisionSummaries } from '@storey/contract'
import { type Locale, nodeName, type Translate } from '@storey/web'
import type { Change } from './changes.ts'
import { historyTexts } from './texts.ts'

type T = Translate<typeof historyTexts.en>
type Kind = Change['kind']

/**
 * Translates the summary of a revision. An unknown summary is returned unchanged. The summary of a revision that
 * changed one node has the name or the code of the node. If the node is in `changes`, the returned text has both.
 */
export function revisionText(summary: string, t: T, locale: Locale, changes: readonly Change[] = []): string {
  const read = revisionSummaries.read(summary)
  if (!read) return summary
  const { form, parts } = read
  const label = (kind: string, nameOrCode: string) => nameAndCode(kind as Kind, nameOrCode, locale, changes)
  const kindText = (kind: string) => t(`${kind as Kind}In`)
  switch (form) {
    case 'seeded':
      return t('seeded')
    case 'created':
      return t('createdOne', { kind: kindText(parts.kind), name: label(parts.kind, parts.name) })
    case 'changed':
      return t('changedOne', {
        kind: kindText(parts.kind),
        name: label(parts.kind, parts.code),
        fields: fieldsOf(t, parts.fields),
      })
    case 'deleted':
      return t('deletedOne', { kind: kindText(parts.kind), name: label(parts.kind, parts.code) })
    case 'externalIdAdded':
      return t('addedId', { kind: kindText(parts.kind), name: label(parts.kind, parts.code), system: parts.system })
    case 'externalIdRemoved':
      return t('removedId', { kind: kindText(parts.kind), name: label(parts.kind, parts.code), system: parts.system })
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

/**
 * Returns the name and the code of the changed node that has `text` as its name or code. If there is no such node, or
 * more than one, only `text` is returned, translated if it is a generated name.
 */
function nameAndCode(kind: Kind, text: string, locale: Locale, changes: readonly Change[]): string {
  const found = changes.filter(
    (change) =>
      change.kind === kind && [change.before, change.after].some((node) => node?.name === text || node?.code === text),
  )
  const node = found.length === 1 ? (found[0]!.after ?? found[0]!.before) : null
  const name = nodeName(kind, node?.name ?? text, locale)
  return node ? `${name} · ${node.code}` : name
}

const fieldsOf = (t: T, fields: string): string =>
  fields
    .split(', ')
    .map((field) => fieldName(t, field))
    .join(', ')

/** The label of a field; an unknown field is returned unchanged. */
export function fieldName(t: T, field: string): string {
  const entry = Object.hasOwn(historyTexts.en, field)
    ? historyTexts.en[field as keyof typeof historyTexts.en]
    : undefined
  return typeof entry === 'string' ? (t as (key: string) => string)(field) : field
}
