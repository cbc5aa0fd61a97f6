import { ElementRow, ImportElements, ImportPoints, type NewNode, type NodeKind, PointRow } from '@storey/contract'
import type { TObject } from 'typebox'

/** A row that fits the schema of its sheet. */
export type Row = { externalId: string; code?: string } & Record<string, string | null | undefined>

/** What differs between the two lists that can be imported; everything else is the same. */
export interface Sheet<K extends 'element' | 'point' = 'element' | 'point'> {
  kind: K
  /** The field of a JSON body that holds the rows, and the last part of the path. */
  list: 'elements' | 'points'
  body: TObject
  row: TObject
  parent: { kind: NodeKind; id: string; externalId: string }
  /** A row as the graph has it, below the parent of this id. */
  fieldsOf(row: Row, parentId: string): NewNode[K]
  /** Fields that a row calls otherwise than the graph does. */
  calledInRow: Record<string, string>
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
  calledInRow: { elementTypeSlug: 'elementType' },
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
  calledInRow: {},
}

/** A row without a code leaves the one a node has. */
const given = ({ code }: { code: string | undefined }) => (code === undefined ? {} : { code })
