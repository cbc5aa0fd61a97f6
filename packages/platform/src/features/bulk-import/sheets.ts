import {
  ElementRow,
  ImportElements,
  type ImportKey,
  ImportPoints,
  ImportSpaces,
  LIMITS,
  type NewNode,
  type NodeKind,
  PointRow,
  SpaceRow,
} from '@storey/contract'
import type { TObject } from 'typebox'

type ImportedKind = 'space' | 'element' | 'point'

/** A row that fits the schema of its sheet. */
export type Row = { externalId?: string; code?: string } & Record<string, string | number | boolean | null | undefined>

/** What differs between the imports of spaces, of elements and of points. */
export interface Sheet<K extends ImportedKind = ImportedKind> {
  kind: K
  /** The field of a JSON body that holds the rows, and the last part of the path. */
  list: 'spaces' | 'elements' | 'points'
  body: TObject
  row: TObject
  parent: { kind: NodeKind; id: string; externalId: string }
  /** The fields of the node that the row describes, as a child of this parent. Undefined fields stay as they are. */
  fieldsOf(row: Row, parentId: string): { [Field in keyof NewNode[K]]: NewNode[K][Field] | undefined }
  /** Fields that have another name in a row than in the graph: the key is the name in the graph. */
  nameInRow: Record<string, string>
  /** The columns of a CSV whose values are not texts, with the type of these values. */
  valueTypes: Record<string, 'number' | 'boolean'>
}

const spaceSheet: Sheet<'space'> = {
  kind: 'space',
  list: 'spaces',
  body: ImportSpaces,
  row: SpaceRow,
  parent: { kind: 'storey', id: 'storeyId', externalId: 'storeyExternalId' },
  fieldsOf(row, storeyId) {
    const { name, spaceType, code, areaSqm, status, isLeasable, capacity } = row as unknown as SpaceRow
    return { storeyId, name, spaceTypeSlug: spaceType, code, areaSqm, status, isLeasable, capacity }
  },
  nameInRow: { spaceTypeSlug: 'spaceType' },
  valueTypes: { areaSqm: 'number', capacity: 'number', isLeasable: 'boolean' },
}

export const elementSheet: Sheet<'element'> = {
  kind: 'element',
  list: 'elements',
  body: ImportElements,
  row: ElementRow,
  parent: { kind: 'space', id: 'spaceId', externalId: 'spaceExternalId' },
  fieldsOf(row, spaceId) {
    const { name, elementType, code } = row as unknown as ElementRow
    return { name, elementTypeSlug: elementType, spaceId, code }
  },
  nameInRow: { elementTypeSlug: 'elementType' },
  valueTypes: {},
}

const pointSheet: Sheet<'point'> = {
  kind: 'point',
  list: 'points',
  body: ImportPoints,
  row: PointRow,
  parent: { kind: 'element', id: 'elementId', externalId: 'elementExternalId' },
  fieldsOf(row, elementId) {
    const { name, pointType, quantityKind, unit, code } = row as unknown as PointRow
    return { elementId, name, pointType, quantityKind, unit, code }
  },
  nameInRow: {},
  valueTypes: {},
}

export const SHEETS: readonly Sheet[] = [spaceSheet, elementSheet, pointSheet] as readonly unknown[] as Sheet[]

/**
 * The fields of a row that are given. Without a code in its row, a known node keeps its code, and a new node gets a
 * generated one.
 */
export function nodeFields(sheet: Sheet, row: Row, parentId: string): NewNode[ImportedKind] {
  const fields = Object.entries(sheet.fieldsOf(row, parentId)).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields) as unknown as NewNode[ImportedKind]
}

/** The key (external id or code) of a row that passed the checks, which ensure that the row has a key. */
export const keyOf = (row: Row, matchBy: ImportKey): string => row[matchBy]!

/** The key of any JSON value; null if the value has no key that is a string. */
export function keyOfAny(row: unknown, matchBy: ImportKey): string | null {
  if (typeof row !== 'object' || row === null || !Object.hasOwn(row, matchBy)) return null
  const key = (row as Record<string, unknown>)[matchBy]
  return typeof key === 'string' ? key.slice(0, LIMITS.node.externalIdLength) : null
}
