import { ElementRow, ImportElements, ImportPoints, type NewNode, type NodeKind, PointRow } from '@storey/contract'
import type { TObject } from 'typebox'

/** A row that fits the schema of its sheet. */
export type Row = { externalId: string; code?: string } & Record<string, string | null | undefined>

/** What differs between the import of elements and the import of points. */
export interface Sheet<K extends 'element' | 'point' = 'element' | 'point'> {
  kind: K
  /** The field of a JSON body that holds the rows, and the last part of the path. */
  list: 'elements' | 'points'
  body: TObject
  row: TObject
  parent: { kind: NodeKind; id: string; externalId: string }
  /** The fields of the node that the row describes, as a child of this parent. */
  fieldsOf(row: Row, parentId: string): NewNode[K]
  /** Fields whose name in a row differs from the name in the graph. */
  nameInRow: Record<string, string>
}

export const elementSheet: Sheet<'element'> = {
  kind: 'element',
  list: 'elements',
  body: ImportElements,
  row: ElementRow,
  parent: { kind: 'space', id: 'spaceId', externalId: 'spaceExternalId' },
  fieldsOf(row, spaceId) {
    const { name, elementType, code } = row as ElementRow
    return { name, elementTypeSlug: elementType, spaceId, ...given({ code }) }
  },
  nameInRow: { elementTypeSlug: 'elementType' },
}

export const pointSheet: Sheet<'point'> = {
  kind: 'point',
  list: 'points',
  body: ImportPoints,
  row: PointRow,
  parent: { kind: 'element', id: 'elementId', externalId: 'elementExternalId' },
  fieldsOf(row, elementId) {
    const { name, pointType, quantityKind, unit, code } = row as unknown as PointRow
    return { elementId, name, pointType, quantityKind, unit, ...given({ code }) }
  },
  nameInRow: {},
}

/** Without a code in its row, a known node keeps its code, and a new node gets a generated one. */
const given = ({ code }: { code: string | undefined }) => (code === undefined ? {} : { code })
